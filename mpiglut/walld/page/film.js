// A film of the wall: begun and ended by one button; what has been taken is a link.
import { call } from '/link.js';
import { complain } from '/notices.js';

const part = (id) => document.getElementById(id);
let film = null;

export function update(run) {
  const before = film;
  film = run?.film ?? null;
  const runs = Boolean(film?.runs);
  part('film').disabled = !run || run.state !== 'running';
  part('film').setAttribute('aria-pressed', String(runs));
  part('film').textContent = runs ? `End the film (${film.frames})` : 'Film';
  part('screenshot').disabled ||= runs;
  part('every').disabled = runs;
  if (!before?.runs || runs || !film) return;
  const link = document.createElement('a');
  link.href = `/api/v1/captures/${film.file}`;
  link.download = link.textContent = film.file;
  part('captured').replaceChildren(...(film.frames ? ['Film: ', link, ` (${film.frames} frames)`] : ['No frame came: there is no film']),
    film.error ? ` It ended by itself: ${film.error}.` : '');
}

export function start() {
  part('film').addEventListener('click', () => {
    const asked = film?.runs ? call('POST', '/api/v1/film/end', {}) : call('POST', '/api/v1/film', { every: part('every').valueAsNumber });
    asked.catch(complain);
  });
}
