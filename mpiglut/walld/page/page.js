// Puts the page together: what comes from the server goes to its parts.
import { call, connect, leave, on, send } from '/link.js';
import * as wall from '/wall.js';
import * as charts from '/charts.js';
import * as log from '/log.js';
import * as tiles from '/tiles.js';
import * as status from '/status.js';
import * as programs from '/programs.js';
import * as shows from '/shows.js';
import * as gallery from '/gallery.js';
import * as film from '/film.js';
import * as adjust from '/adjust.js';
import * as record from '/record.js';
import * as menu from '/menu.js';
import { ask, complain, notice } from '/notices.js';
import '/control.js';
import '/hands.js';

const part = (id) => document.getElementById(id);
const tools = [...document.querySelectorAll('[data-show]')];
let run = null;

// The token has become a session.
if (location.search) history.replaceState(null, '', '/');

function show_run(now) {
  if (now?.began !== run?.began) {
    wall.forget();
    if (run) charts.reset([]);
  }
  run = now;
  for (const module of [wall, tiles, film, adjust, record, menu]) module.update(run);
  const off = !run || run.state !== 'running';
  for (const button of [...tools, ...['screenshot', 'quit', 'right', 'drag'].map(part)]) button.disabled = off;
  part('screenshot').disabled ||= Boolean(run?.film?.runs);
  for (const button of tools) button.setAttribute('aria-pressed', String(run?.shows === button.dataset.show));
  log.ranks(run?.tiles.length ?? 0);
}

on('hello', (message) => {
  for (const button of document.querySelectorAll('.tools button')) button.disabled = false; // its parts know better
  document.body.classList.toggle('looker', message.role !== 'operate');
  run = null;
  show_run(message.run);
  charts.reset(message.samples);
  log.reset(message.log);
  programs.update(message);
  shows.update(message);
  gallery.update(message);
  status.update(message);
  status.linked('there');
});
on('status', (message) => { show_run(message.run); programs.update(message); shows.update(message); gallery.update(message); status.update(message); });
on('figures', (message) => { show_run(message.run); status.update(message); charts.add(message.sample); });
on('log', (message) => log.add(message.lines));
on('picture', wall.show);
on('lost', () => {
  part('pointers').replaceChildren();
  for (const button of document.querySelectorAll('.tools button')) button.disabled = true;
});
on('error', ({ error }) => complain(new Error(error)));
on('pointer', ({ client, x, y }) => {
  let pointer = document.getElementById(`pointer-${client}`);
  if (!pointer) {
    pointer = document.createElement('span');
    pointer.id = `pointer-${client}`;
    pointer.textContent = client;
    part('pointers').append(pointer);
  }
  pointer.style.left = `${x / wall.size().width * 100}%`;
  pointer.style.top = `${y / wall.size().height * 100}%`;
});
on('left', ({ client }) => document.getElementById(`pointer-${client}`)?.remove());

for (const button of tools)
  button.addEventListener('click', () => call('POST', '/api/v1/show', { show: button.dataset.show }).catch(complain));
part('logout').addEventListener('click', () => call('POST', '/api/v1/logout').then(() => {
  leave();
  document.body.classList.add('looker');
  status.linked('out');
}).catch(complain));
part('quit').addEventListener('click', () => programs.quit(part('program').textContent).catch(complain));
part('screenshot').addEventListener('click', async () => {
  part('screenshot').disabled = true;
  try {
    const answer = await call('POST', '/api/v1/screenshot');
    const link = document.createElement('a'), picture = await answer.blob();
    link.href = URL.createObjectURL(picture);
    link.download = answer.headers.get('x-capture') ?? 'wall.png';
    link.textContent = link.download;
    part('captured').replaceChildren('Screenshot: ', link, ` (${Math.round(picture.size / 1024)} KiB)`);
  } catch (error) {
    complain(error);
  }
  part('screenshot').disabled = run?.state !== 'running';
});
document.addEventListener('visibilitychange', () => send({ live: document.visibilityState === 'visible' }));
function size(large) {
  document.documentElement.classList.toggle('large', large);
  part('large').setAttribute('aria-pressed', String(large));
}
part('large').addEventListener('click', () => {
  const large = !document.documentElement.classList.contains('large');
  localStorage.setItem('large', large ? 'yes' : '');
  size(large);
});
size(Boolean(localStorage.getItem('large')));
for (const module of [shows, gallery]) module.start(complain, ask);
for (const module of [film, adjust, record]) module.start(notice);
connect();
