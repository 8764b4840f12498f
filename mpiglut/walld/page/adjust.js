// Adjusting the wall while the program runs: bezels and places by arrow keys, colours of single tiles by sliders.
import { call } from '/link.js';
import { complain, notice } from '/notices.js';
import * as wall from '/wall.js';

const part = (id) => document.getElementById(id);
const keys = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const sliders = ['brightness', 'gamma', 'red', 'green', 'blue'];
let now = null, active = false;
let pending = null, busy = false;

const target = () => part('target').value === 'bezels' ? 'bezels' : Number(part('target').value);
const tile = () => now?.tiles.find(({ rank }) => rank === target());
const lengths = ([x, y], unit) => `${Number(x.toFixed(2))} × ${Number(y.toFixed(2))} ${unit}`;

function show(answer) {
  now = answer;
  const before = part('target').value, options = [new Option('Bezels', 'bezels'),
    ...now.tiles.map(({ rank, name }) => new Option(`Tile ${rank} ${name}`, rank))];
  if (part('target').length !== options.length) {
    part('target').replaceChildren(...options);
    if (options.some(({ value }) => value === before)) part('target').value = before;
  }
  const chosen = tile();
  part('place').textContent = chosen ? `moved by ${lengths(chosen.nudge, now.unit)}` : lengths(now.bezels, now.unit);
  part('colours').hidden = !chosen;
  if (chosen) {
    const [red, green, blue] = chosen.colour, values = { ...chosen, red, green, blue };
    for (const name of sliders) {
      if (document.activeElement !== part(name)) part(name).value = values[name];
      part(`${name}-value`).textContent = values[name].toFixed(2);
    }
  }
  part('kept').textContent = now.changed ? 'Not saved' : 'As saved';
  part('save-wall').textContent = now.file ? `Save to ${now.file.split('/').at(-1)}` : 'Save as a wall file';
  part('save-wall').disabled = part('reset-wall').disabled = !now.changed;
  wall.select(active ? target() : null);
  wall.correct(active ? now.tiles : []);
}

// One request at a time: of keys that repeat faster than answers come, the sum is sent.
async function send(path, body) {
  busy = true;
  try {
    show(await (await call('POST', `/api/v1/wall/${path}`, body)).json());
  } catch (error) {
    complain(error);
  }
  busy = false;
  const next = pending;
  pending = null;
  if (next) send(...next);
}

function nudge([x, y], far) {
  const by = [x * (far ? 10 : 1), y * (far ? 10 : 1)];
  if (!busy) return send('nudge', { target: target(), by });
  if (pending?.[0] === 'nudge' && pending[1].target === target()) pending[1].by = pending[1].by.map((old, i) => old + by[i]);
  else pending = ['nudge', { target: target(), by }];
}

function recolour(name) {
  const body = { tile: target() };
  if (['red', 'green', 'blue'].includes(name)) body.colour = ['red', 'green', 'blue'].map((each) => part(each).valueAsNumber);
  else body[name] = part(name).valueAsNumber;
  part(`${name}-value`).textContent = part(name).valueAsNumber.toFixed(2);
  wall.correct(now.tiles.map((one) => one.rank === body.tile ? { ...one, ...body } : one)); // at once
  if (busy) pending = ['colour', body];
  else send('colour', body);
}

async function turn(on) {
  active = on;
  part('adjust').setAttribute('aria-pressed', String(on));
  part('adjusting').hidden = !on;
  wall.select(null);
  wall.correct([]);
  if (!on) return;
  try {
    show(await (await call('GET', '/api/v1/wall')).json());
    part('wall').focus({ preventScroll: true });
  } catch (error) {
    complain(error);
  }
}

function pressed(event) {
  if (event.key === 'Escape') {
    turn(false);
    part('adjust').focus();
  } else if (event.key in keys) {
    nudge(keys[event.key], event.shiftKey);
  } else {
    return event.key !== 'Tab'; // which goes on to the panel
  }
  event.preventDefault();
  return true;
}

function choose(event) {
  const { x, y } = wall.toWall(event);
  const under = now?.tiles.find(({ rect: [left, top, width, height] }) =>
    x >= left && x < left + width && y >= top && y < top + height);
  part('target').value = under ? under.rank : 'bezels';
  if (now) show(now);
  part('wall').focus({ preventScroll: true });
}

export function update(run) {
  const off = !run || run.state !== 'running';
  part('adjust').disabled = off || run.wall.from_window;
  part('adjust').title = run?.wall.from_window ? 'This wall cuts the program’s window: it has no bezels and places' : '';
  if (off && active) turn(false);
}

export function start() {
  part('adjust').addEventListener('click', () => turn(!active));
  part('target').addEventListener('change', () => show(now));
  for (const button of document.querySelectorAll('[data-nudge]'))
    button.addEventListener('click', (event) => nudge(keys[button.dataset.nudge], event.shiftKey));
  for (const name of sliders) part(name).addEventListener('input', () => recolour(name));
  part('adjusting').addEventListener('keydown', (event) => {
    if (event.key === 'Escape') pressed(event);
  });
  part('plain').addEventListener('click', () => send('colour', { tile: target(), brightness: 1, gamma: 1, colour: [1, 1, 1] }));
  part('reset-wall').addEventListener('click', () => send('reset', {}));
  part('save-wall').addEventListener('click', async () => {
    try {
      const { file } = await (await call('POST', '/api/v1/wall/save', {})).json();
      notice(`The wall is saved in ${file}`);
      show(await (await call('GET', '/api/v1/wall')).json());
    } catch (error) {
      complain(error);
    }
  });
  // While the wall is adjusted, the program gets nothing from the picture.
  for (const type of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel', 'pointerleave', 'wheel', 'keydown', 'keyup'])
    part('frame').addEventListener(type, (event) => {
      if (!active) return;
      if (type === 'keydown' && !pressed(event)) return;
      if (type === 'pointerdown') choose(event);
      if (type === 'pointerdown' || type === 'wheel') event.preventDefault();
      event.stopPropagation();
    }, { capture: true, passive: false });
}
