// The programs of apps.toml: start, stop, restart, go over to another one, and what ran when.
import { call } from '/link.js';
import { ask, complain } from '/notices.js';

const section = document.getElementById('programs-section'), list = document.getElementById('programs');
const past = document.getElementById('history');
let shown = '', running = null;

/** The clock, where one was chosen. */
function choice() {
  const clock = document.getElementById('clock').value.trim();
  return clock ? { clock } : {};
}

const questions = {
  stop: (name) => [`End ${name}?`, 'It ends on all tiles.', 'End'],
  restart: (name) => [`Restart ${name}?`, 'It ends on all tiles, and begins anew.', 'Restart'],
  switch: (name) => [`Switch to ${name}?`, `${running} ends on all tiles.`, 'Switch'],
};

/** 'start', 'stop', 'restart' or 'switch'. What ends a program asks first. */
export async function act(name, what) {
  if (running && questions[what] && !await ask(...questions[what](name))) return;
  const path = what === 'switch' ? 'restart' : what;
  await call('POST', `/api/v1/programs/${encodeURIComponent(name)}/${path}`, what === 'stop' ? {} : choice());
}

/** Ends the program of this run, in the list or not. */
export async function quit(name) {
  if (await ask(...questions.stop(name))) await call('POST', '/api/v1/quit', {});
}

function button(text, program, what) {
  const element = document.createElement('button');
  element.textContent = text;
  element.className = 'changes';
  element.setAttribute('aria-label', `${text} ${program}`);
  element.addEventListener('click', () => act(program, what).catch(complain));
  return element;
}

function row(program) {
  const row = document.createElement('li'), name = document.createElement('span'), what = document.createElement('small');
  name.className = 'name';
  what.textContent = [program.command.split('/').at(-1), ...program.arguments].join(' ') + ` on ${program.wall}`;
  if (program.picture) {
    const picture = document.createElement('img');
    picture.src = `/api/v1/programs/${encodeURIComponent(program.name)}/picture`;
    picture.alt = '';
    row.append(picture);
  }
  name.append(program.name + (program.running ? ' (running)' : ''), what);
  row.classList.toggle('runs', program.running);
  row.append(name, ...(program.running ? [button('Restart', program.name, 'restart'), button('Stop', program.name, 'stop')]
    : [running ? button('Switch to', program.name, 'switch') : button('Start', program.name, 'start')]));
  return row;
}

export function update({ programs, history }) {
  if (!programs) return;
  const now = JSON.stringify([programs, history]);
  if (now === shown) return; // who is about to press a button keeps it
  shown = now;
  section.hidden = false;
  running = programs.find((program) => program.running)?.name ?? null;
  list.replaceChildren(...programs.map(row));
  past.replaceChildren(...history.map((run) => {
    const row = document.createElement('li');
    const ways = [run.clock && `clock ${run.clock}`, run.restarts && `restart ${run.restarts} after a crash`].filter(Boolean);
    row.textContent = `${run.name}${ways.length ? ` (${ways.join(', ')})` : ''}: ${new Date(run.began).toLocaleString()}` +
      (run.ended ? `, ${Math.round((run.ended - run.began) / 1000)} s, status ${run.status}` : ', running');
    return row;
  }));
}
