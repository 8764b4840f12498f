// The captures: thumbnails of screenshots, films to play, and all of them to download and delete. The newest come first,
// and some more at a press of a button, so that a folder of thousands shows at once.
import { call } from '/link.js';

const part = (id) => document.getElementById(id);
const at_once = 24, most = 480;
let tell = () => {}, ask = async () => true;
let count = at_once, version = null, known = '', asks = false, again = false;

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function size(bytes) {
  for (const [unit, of] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]])
    if (bytes >= of) return `${(bytes / of).toFixed(bytes < 10 * of ? 1 : 0)} ${unit}`;
  return `${bytes} bytes`;
}

/** "2026-11-25 08:30:00" of "wall-20261125-083000-001.png" */
function title(name) {
  const [, year, month, day, hour, minute, second] = name.match(/^wall-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)/) ?? [];
  return year ? `${year}-${month}-${day} ${hour}:${minute}:${second}` : name;
}

const kinds = { 'image/png': 'Screenshot', 'video/mp4': 'Film', 'video/webm': 'Film', 'video/x-msvideo': 'Film', 'application/jsonl': 'Recording',
  'application/toml': 'Wall file' };

function preview(file, path) {
  const text = make('span', { className: 'blank', textContent: kinds[file.type] });
  if (file.written) return text;
  if (file.type === 'image/png') {
    const picture = make('img', { src: `${path}/thumbnail`, alt: `Screenshot of ${title(file.name)}`, loading: 'lazy' });
    picture.addEventListener('error', () => picture.closest('a').replaceChildren(text)); // too large for a thumbnail
    return make('a', { href: path, target: '_blank' }, picture);
  }
  if (!['video/mp4', 'video/webm'].includes(file.type)) return text;
  const film = make('video', { src: path, controls: true, muted: true, playsInline: true, preload: 'metadata' });
  film.setAttribute('aria-label', `Film of ${title(file.name)}`);
  return film;
}

function card(file) {
  const path = `/api/v1/captures/${file.name}`;
  const save = make('a', { href: path, download: file.name, textContent: 'Download' });
  save.setAttribute('aria-label', `Download ${file.name}`);
  const remove = make('button', { textContent: 'Delete', className: 'changes', disabled: file.written });
  remove.setAttribute('aria-label', `Delete ${file.name}`);
  remove.addEventListener('click', async () => {
    if (await ask(`Delete ${file.name}?`, 'It cannot be brought back.', 'Delete'))
      call('POST', `${path}/delete`, {}).then(list).catch((error) => tell(error));
  });
  return make('li', { id: file.name }, preview(file, path),
    make('p', {}, kinds[file.type], make('small', { textContent: `${title(file.name)}, ${file.written ? 'being written' : size(file.bytes)}` })),
    make('div', { className: 'bar' }, save, remove));
}

function show({ captures, files, bytes, limit }) {
  const now = JSON.stringify(files);
  part('captures-sum').textContent = captures.length ? `${captures.length}, ${size(bytes)} of ${size(limit)}` : 'none yet';
  part('captures-more').hidden = captures.length <= files.length || count >= most;
  if (now === known) return;
  known = now;
  // What stays is not loaded once more, and a film that plays plays on.
  const before = new Map([...part('captures').children].map((item) => [item.dataset.file, item]));
  part('captures').replaceChildren(...files.map((file) => {
    const key = JSON.stringify(file);
    const item = before.get(key) ?? card(file);
    item.dataset.file = key;
    return item;
  }));
}

async function list() {
  again = asks;
  if (asks) return;
  asks = true;
  try {
    show(await (await call('GET', `/api/v1/captures?details=${count}`)).json());
  } catch { /* the next change asks again */ }
  asks = false;
  if (again) list();
}

/** `captures`: a number that changes with what there is. */
export function update({ captures, run }) {
  if (captures === undefined) return;
  const now = JSON.stringify([captures, run?.film?.runs, run?.recording?.runs, run?.began]);
  if (now === version) return;
  version = now;
  list();
}

/** `complain(error)` says what could not be done; `question(title, text, action)` returns a promise of true or false. */
export function start(complain, question) {
  tell = complain;
  ask = question;
  const more = make('button', { id: 'captures-more', textContent: 'Show more', hidden: true });
  more.addEventListener('click', () => { count = Math.min(count * 2, most); list(); });
  part('gallery-section').append(make('h2', { id: 'gallery-title' }, 'Captures ', make('small', { id: 'captures-sum' })),
    make('ul', { id: 'captures' }), make('div', { className: 'bar' }, more));
}
