// Puts the page together: what comes from the server goes to its parts.
import { call, connect, leave, on, send } from '/link.js';
import * as wall from '/wall.js';
import * as charts from '/charts.js';
import * as log from '/log.js';
import * as programs from '/programs.js';
import * as shows from '/shows.js';
import * as gallery from '/gallery.js';
import * as film from '/film.js';
import * as adjust from '/adjust.js';
import * as record from '/record.js';
import * as menu from '/menu.js';
import '/hands.js';

const part = (id) => document.getElementById(id);
const tools = [...document.querySelectorAll('[data-show]')];
let own = 0, holder = 0, run = null;

// The token has become a session.
if (location.search) history.replaceState(null, '', '/');

function notice(text) {
  part('notice').textContent = text;
  clearTimeout(notice.timer);
  notice.timer = setTimeout(() => { part('notice').textContent = ''; }, 8000);
}

function cell(text, name) {
  const element = document.createElement('td');
  element.textContent = text;
  if (name) element.className = name;
  return element;
}

function show_run(now) {
  if (now?.began !== run?.began) {
    wall.forget();
    if (run) { charts.reset([]); log.reset([]); }
  }
  run = now;
  wall.update(run);
  part('program').textContent = run?.program?.length ? run.program[0].split('/').at(-1) : 'The wall';
  document.title = part('program').textContent;
  const state = !run ? 'no program is running'
    : run.state === 'ended' ? `ended with status ${run.exit_status}`
    : run.state + (run.clock === 'wall' ? '' : `, clock ${run.clock}`) + (run.replay?.runs ? ', replays' : '') + (run.shows === 'picture' ? '' : `, shows: ${run.shows}`) + (run.divergences ? `, ${run.divergences} divergences` : '');
  if (part('state').textContent !== state) part('state').textContent = state;
  part('headline').textContent = run && run.state === 'running' ? `${run.fps.toFixed(1)} frames/s` : '';
  const off = !run || run.state !== 'running';
  for (const button of [...tools, part('screenshot'), part('quit')]) button.disabled = off;
  film.update(run);
  adjust.update(run);
  record.update(run);
  menu.update(run);
  for (const button of tools) button.setAttribute('aria-pressed', String(run?.shows === button.dataset.show));
  const tiles = run?.tiles ?? [];
  log.ranks(tiles.length);
  part('tiles').replaceChildren(...tiles.map((tile) => {
    const row = document.createElement('tr');
    const since = ['running', 'ended'].includes(tile.state) ? '' : ` since ${new Date(tile.since).toLocaleTimeString()}`;
    row.append(cell(`${tile.rank} ${tile.name}`), cell(`${tile.host} ${tile.display}`), cell((tile.state === 'returning' ? 'coming back' : tile.state) + since, tile.state), cell(tile.fps.toFixed(1)),
      cell(tile.draw_ms.toFixed(2)), cell(tile.wait_ms.toFixed(2)), cell(tile.lag_us.toFixed(0)), cell(tile.cpu_percent.toFixed(0)));
    return row;
  }));
}

function show_control() {
  const button = part('control');
  button.textContent = holder === own && own ? 'Give up control' : holder ? 'Ask for control' : 'Take control';
}

on('hello', (message) => {
  own = message.client;
  document.body.classList.toggle('looker', message.role !== 'operate');
  holder = message.control;
  run = null;
  show_run(message.run);
  charts.reset(message.samples);
  log.reset(message.log);
  programs.update(message, notice);
  shows.update(message);
  gallery.update(message);
  show_control();
});
on('status', (message) => { show_run(message.run); programs.update(message, notice); shows.update(message); gallery.update(message); });
on('figures', (message) => { show_run(message.run); charts.add(message.sample); });
on('log', (message) => log.add(message.lines));
on('picture', wall.show);
on('lost', () => {
  part('state').textContent = 'no connection to the server; trying again …';
  part('pointers').replaceChildren();
});
on('control', (message) => { holder = message.client; show_control(); });
on('error', (message) => notice(message.error));
on('refused', () => notice('Somebody else has control: ask for it.'));
on('asked', (message) => {
  const button = document.createElement('button');
  button.textContent = `Give control to browser ${message.client}`;
  button.addEventListener('click', () => { send({ give: message.client }); notice(''); });
  notice('Another browser asks for control. ');
  part('notice').append(button);
});
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
  button.addEventListener('click', () =>
    call('POST', '/api/v1/show', { show: button.dataset.show }).catch((error) => notice(error.message)));
part('logout').addEventListener('click', () => call('POST', '/api/v1/logout').then(() => {
  leave();
  document.body.classList.add('looker');
  part('state').textContent = 'logged out: the link opens the page again';
}).catch((error) => notice(error.message)));
part('control').addEventListener('click', () => send({ control: holder === own ? 'leave' : 'ask' }));
part('quit').addEventListener('click', () => {
  if (confirm('End the program?')) call('POST', '/api/v1/quit', {}).catch((error) => notice(error.message));
});
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
    notice(error.message);
  }
  part('screenshot').disabled = false;
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
const question = async (title, text) => confirm(`${title} ${text}`);
for (const module of [shows, gallery]) module.start(notice, question);
for (const module of [film, adjust, record]) module.start(notice);
connect();
