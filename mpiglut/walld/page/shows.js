// Presets: program, clock and brightness under a name; and the playlist, which shows them one after the other.
import { call } from '/link.js';

const part = (id) => document.getElementById(id);
let tell = () => {}, ask = async () => true;
let known = '', presets = [], playlist = { entries: [], plays: false }, draft = null; // draft: entries that are not saved

const change = (path, body = {}) => call('POST', `/api/v1/${path}`, body).catch((error) => tell(error));

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function button(text, label, act) {
  const element = make('button', { textContent: text, className: 'changes' });
  if (label) element.setAttribute('aria-label', label);
  element.addEventListener('click', act);
  return element;
}

function labelled(text, element) {
  element.setAttribute('aria-label', text);
  return element;
}

// --- presets

function describe(preset) {
  return [preset.program ?? 'any program', preset.clock && `clock ${preset.clock}`,
    preset.brightness !== 1 && `brightness ${preset.brightness}`].filter(Boolean).join(', ');
}

function row(preset) {
  const path = `presets/${encodeURIComponent(preset.name)}`;
  const remove = async () => {
    if (await ask(`Delete ${preset.name}?`, 'The preset is gone then.', 'Delete')) change(`${path}/delete`);
  };
  return make('li', {}, make('span', { className: 'name' }, preset.name, make('small', { textContent: describe(preset) })),
    button('Show', `Show ${preset.name}`, () => change(`${path}/apply`)), button('Delete', `Delete ${preset.name}`, remove));
}

function save(event) {
  event.preventDefault();
  const name = part('preset-name').value.trim();
  if (!name) return;
  change(`presets/${encodeURIComponent(name)}/save`).then((answer) => { if (answer) part('preset-name').value = ''; });
}

// --- the playlist

function edited(entries) {
  draft = entries;
  show_playlist();
}

function entry_row(entry, at) {
  const entries = draft ?? playlist.entries, line = at + 1;
  const put = (what) => edited(entries.map((one, i) => (i === at ? { ...one, ...what } : one)));
  const which = labelled(`Preset of entry ${line}`, make('select', {}, ...presets.map(({ name }) => new Option(name, name))));
  which.value = entry.preset;
  const minutes = labelled(`Minutes of entry ${line}`, make('input', { type: 'number', min: 0, step: 'any', className: 'minutes',
    value: entry.seconds ? +(entry.seconds / 60).toFixed(3) : '' }));
  const when = labelled(`Time of day of entry ${line}`, make('input', { type: 'time', value: entry.at ?? '' }));
  which.addEventListener('change', () => put({ preset: which.value }));
  minutes.addEventListener('change', () => put({ seconds: Math.round(minutes.valueAsNumber * 60) || null }));
  when.addEventListener('change', () => put({ at: when.value || null }));
  const up = button('↑', `Entry ${line} earlier`, () => edited(entries.toSpliced(at, 1).toSpliced(at - 1, 0, entry)));
  up.disabled = at === 0;
  const element = make('li', {}, which, make('span', { className: 'unit' }, 'for ', minutes, ' min'), make('span', { className: 'unit' }, 'from ', when), up,
    button('Remove', `Remove entry ${line}`, () => edited(entries.toSpliced(at, 1))));
  if (!draft && playlist.current === at) element.setAttribute('aria-current', 'true');
  return element;
}

function show_playlist() {
  const entries = draft ?? playlist.entries;
  part('playlist').replaceChildren(...entries.map(entry_row));
  part('playlist-plays').textContent = playlist.plays ? 'Stop the playlist' : 'Play';
  part('playlist-plays').setAttribute('aria-pressed', String(playlist.plays));
  part('playlist-plays').disabled = Boolean(draft) || !entries.length;
  part('playlist-next').disabled = Boolean(draft) || !playlist.plays;
  part('playlist-add').disabled = !presets.length;
  part('playlist-save').hidden = part('playlist-forget').hidden = !draft;
  const until = playlist.until && `, the next at ${new Date(playlist.until).toLocaleTimeString()}`;
  part('playlist-state').textContent = draft ? 'not saved yet' : playlist.plays ? `plays ${entries[playlist.current]?.preset}${until ?? ''}`
    : entries.length ? 'does not play' : 'is empty';
}

async function save_playlist() {
  if (await change('playlist', { entries: draft })) edited(null);
}

export function update(message) {
  if (!message.presets) return;
  const now = JSON.stringify([message.presets, message.playlist, message.brightness]);
  if (now === known) return; // who is about to press a button keeps it
  known = now;
  ({ presets, playlist } = message);
  part('shows-section').hidden = false;
  part('presets').replaceChildren(...presets.map(row));
  part('no-presets').hidden = presets.length > 0;
  if (document.activeElement !== part('wall-brightness')) part('wall-brightness').value = message.brightness;
  part('wall-brightness-value').textContent = message.brightness.toFixed(2);
  if (!draft) show_playlist();
}

function build() {
  const name = make('input', { id: 'preset-name', maxLength: 64, autocomplete: 'off', placeholder: 'name' });
  const form = make('form', { className: 'bar' }, make('label', { htmlFor: 'preset-name', textContent: 'Save what is shown as' }), name,
    make('button', { textContent: 'Save' }));
  form.addEventListener('submit', save);
  const slider = make('input', { id: 'wall-brightness', type: 'range', min: 0, max: 2, step: 0.05, value: 1 });
  slider.addEventListener('input', () => { part('wall-brightness-value').textContent = slider.valueAsNumber.toFixed(2); });
  slider.addEventListener('change', () => change('wall/brightness', { brightness: slider.valueAsNumber }));
  const own = (id, text, act) => Object.assign(button(text, '', act), { id });
  part('shows-section').append(make('h2', { id: 'shows-title', textContent: 'Presets' }),
    make('ul', { id: 'presets' }), make('p', { id: 'no-presets', className: 'hint', textContent: 'A preset keeps program, clock and brightness.' }), form,
    make('div', { className: 'bar brightness' }, make('label', { htmlFor: 'wall-brightness', textContent: 'Brightness of the wall' }), slider,
      make('output', { id: 'wall-brightness-value', textContent: '1.00' })),
    make('h3', {}, 'Playlist ', make('small', { id: 'playlist-state' })),
    make('ol', { id: 'playlist' }),
    make('div', { className: 'bar' }, own('playlist-plays', 'Play', () => change(playlist.plays ? 'playlist/stop' : 'playlist/start')),
      own('playlist-next', 'Next', () => change('playlist/next')),
      own('playlist-add', 'Add an entry', () => edited([...(draft ?? playlist.entries), { preset: presets[0].name, seconds: 600, at: null }])),
      own('playlist-save', 'Save the playlist', save_playlist), own('playlist-forget', 'Undo', () => edited(null))));
  show_playlist();
}

/** `complain(error)` says what could not be done; `question(title, text, action)` returns a promise of true or false. */
export function start(complain, question) {
  tell = complain;
  ask = question;
  build();
}
