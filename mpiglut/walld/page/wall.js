// The live picture: the wall at its true geometry, each tile's newest picture, and what is wrong with a tile on top of it.
const canvas = document.getElementById('wall');
const context = canvas.getContext('2d');
const pictures = new Map();
let wall = { width: 1280, height: 720 }, tiles = [], due = false, chosen = null, ended = 0;
const corrections = new Map(); // by rank, while the wall is adjusted

const words = { late: 'late', hung: 'hangs', silent: 'no word', dead: 'dead', returning: 'coming back', starting: 'starting', waiting: 'waits for others' };

/** The wall goes on without it. */
const isDark = ({ state }) => state === 'dead' || state === 'returning';

export const size = () => wall;

/** From a point of the page to one of the wall. */
export function toWall(event) {
  const box = canvas.getBoundingClientRect();
  const inside = (value, most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
  return { x: inside((event.clientX - box.left) / box.width * wall.width, wall.width),
           y: inside((event.clientY - box.top) / box.height * wall.height, wall.height) };
}

function ago(since) {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function mark(tile) {
  const [x, y, width, height] = tile.rect;
  if (!(tile.state in words)) return;
  const bad = ['hung', 'silent', 'dead', 'returning'].includes(tile.state);
  context.fillStyle = bad ? 'rgba(90, 0, 0, .72)' : 'rgba(20, 20, 30, .5)';
  context.fillRect(x, y, width, height);
  context.strokeStyle = bad ? '#ff5548' : '#f0b45c';
  context.lineWidth = Math.max(2, wall.width / 320);
  context.strokeRect(x + context.lineWidth / 2, y + context.lineWidth / 2, width - context.lineWidth, height - context.lineWidth);
  const text = Math.min(height / 6, width / 14);
  context.fillStyle = '#fff';
  context.textAlign = 'center';
  context.font = `bold ${text * 1.3}px system-ui, sans-serif`;
  context.fillText(`${words[tile.state]}, ${ago(tile.since)}`, x + width / 2, y + height / 2 - text * .6, width * .95);
  context.font = `${text}px system-ui, sans-serif`;
  context.fillText(`rank ${tile.rank}, tile ${tile.name}`, x + width / 2, y + height / 2 + text, width * .95);
  context.fillText(`${tile.host} ${tile.display}`, x + width / 2, y + height / 2 + text * 2.3, width * .95);
}

function draw() {
  due = false;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = '#000';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(canvas.width / wall.width, 0, 0, canvas.height / wall.height, 0, 0);
  for (const { head, image } of [...pictures.values()].sort((a, b) => a.head.layer - b.head.layer))
    context.drawImage(corrected(head.rank, image), ...head.rect);
  for (const tile of tiles) {
    if (wall.from_window) tile.rect = place(tile);
    if (!ended || tile.since < ended - 1500) mark(tile); // at the end of a run all tiles are over
    if (chosen === 'bezels' || chosen === tile.rank) outline(tile);
  }
}

function outline({ rect: [x, y, width, height] }) {
  context.strokeStyle = '#fff';
  context.lineWidth = wall.width / 160;
  context.strokeRect(x, y, width, height);
  context.strokeStyle = '#1d5fbf';
  context.lineWidth = wall.width / 320;
  context.strokeRect(x, y, width, height);
}

/** As the tile shows it: factor * brightness * value^(1 / gamma), in the picture's own pixels. */
function corrected(rank, image) {
  const tables = corrections.get(rank);
  if (!tables) return image;
  const copy = new OffscreenCanvas(image.width, image.height), into = copy.getContext('2d', { willReadFrequently: true });
  into.drawImage(image, 0, 0);
  const pixels = into.getImageData(0, 0, image.width, image.height), { data } = pixels;
  for (let at = 0; at < data.length; at += 4)
    for (let part = 0; part < 3; ++part) data[at + part] = tables[part][data[at + part]];
  into.putImageData(pixels, 0, 0);
  return copy;
}

/** Shows the pictures in the colours that these tiles have: [{rank, brightness, gamma, colour}]. */
export function correct(all) {
  corrections.clear();
  for (const { rank, brightness, gamma, colour } of all)
    if (brightness !== 1 || gamma !== 1 || colour.some((factor) => factor !== 1))
      corrections.set(rank, colour.map((factor) =>
        Uint8ClampedArray.from({ length: 256 }, (_, value) => 255 * factor * brightness * (value / 255) ** (1 / gamma))));
  redraw();
}

/** Outlines a tile, by rank, or all of them: 'bezels'. */
export function select(which) {
  chosen = which;
  redraw();
}

/** Of a tile of a wall without a size, once a picture has told how large that is. */
function place({ rank, rect }) {
  for (const { head } of pictures.values()) if (head.rank === rank) return head.rect;
  return rect;
}

function redraw() {
  if (!due) requestAnimationFrame(draw);
  due = true;
}

function resize(width, height) {
  if (!width || !height || (wall.width === width && wall.height === height && canvas.dataset.sized)) return;
  wall = { ...wall, width, height };
  canvas.width = Math.min(1600, width * 2);
  canvas.height = Math.round(canvas.width * height / width);
  canvas.dataset.sized = 'yes';
}

export async function show({ head, jpeg }) {
  if (wall.from_window) resize(...head.wall);
  const image = await createImageBitmap(jpeg).catch(() => null);
  if (tiles.some((tile) => tile.rank === head.rank && isDark(tile))) return image?.close();
  const key = `${head.rank} ${head.window}`, old = pictures.get(key);
  if (!image || (old && old.head.frame > head.frame)) return;
  pictures.set(key, { head, image });
  old?.image.close();
  canvas.dataset.pictures = Number(canvas.dataset.pictures ?? 0) + 1;
  redraw();
}

export function forget() {
  pictures.clear();
  redraw();
}

export function update(run) {
  tiles = run?.tiles ?? [];
  ended = run?.ended ?? 0;
  wall.from_window = run?.wall.from_window ?? false;
  const dead = new Set(tiles.filter(isDark).map(({ rank }) => rank));
  for (const [key, { head, image }] of pictures) if (dead.has(head.rank)) pictures.delete(key), image.close();
  if (run && !wall.from_window) resize(run.wall.width, run.wall.height);
  redraw();
}
setInterval(redraw, 1000);
