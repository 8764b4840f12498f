// Small charts in SVG: the last minutes, one line for each tile, or for each quantile. The legend has the values of now, or of
// the moment that the pointer or the arrow keys choose, which is marked in all of them.
const most = 600, width = 320, height = 110, left = 44, right = 4;
const samples = [];
const place = document.getElementById('charts'), range = document.getElementById('range');
let chosen = null; // the time of a sample

const kinds = [
  { title: 'Frames per second', lines: (s) => [s.fps], names: () => ['the wall'] },
  { title: 'Swap skew, µs', lines: (s) => [s.skew_p50_us, s.skew_p99_us], names: () => ['median', '99th percentile'] },
  { title: 'Drawing, ms for a frame', lines: (s) => s.draw_ms, names: (s) => s.draw_ms.map((_, rank) => `rank ${rank}`) },
  { title: 'Waiting, ms for a frame', lines: (s) => s.wait_ms, names: (s) => s.wait_ms.map((_, rank) => `rank ${rank}`) },
];

function make(space, name, attributes, ...children) {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
const svg = (...all) => make('http://www.w3.org/2000/svg', ...all);
const html = (...all) => make('http://www.w3.org/1999/xhtml', ...all);

const seconds = () => Number(range.value);
const visible = () => samples.filter(({ time }) => time > samples.at(-1).time - seconds() * 1000);
const short = (value) => value === undefined ? '–' : value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
const clock = (time) => new Date(time).toLocaleTimeString([], { hour12: false });

/** 1, 2 or 5 times a power of ten. */
function round_up(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.01)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= value) ?? 1;
}

const x_of = (time) => left + (width - left - right) * (1 - (samples.at(-1).time - time) / 1000 / seconds());

function graph(kind, shown, top) {
  const y = (value) => height - 16 - (height - 24) * Math.min(1, value / top);
  const picture = svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
  for (const mark of [0, top / 2, top])
    picture.append(svg('line', { class: 'axis', x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
      svg('text', { x: left - 5, y: y(mark) + 4, 'text-anchor': 'end' }, `${short(mark)}`));
  const begin = seconds() < 120 ? `${seconds()} s ago` : `${seconds() / 60} min ago`;
  picture.append(svg('text', { x: left, y: height - 3 }, begin), svg('text', { x: width - right, y: height - 3, 'text-anchor': 'end' }, 'now'));
  kind.lines(shown.at(-1)).forEach((_, line) => picture.append(svg('polyline', { class: `line s${line % 8}`,
    points: shown.map((sample) => `${x_of(sample.time).toFixed(1)},${y(kind.lines(sample)[line] ?? 0).toFixed(1)}`).join(' ') })));
  if (chosen) picture.append(svg('line', { class: 'cursor', x1: x_of(chosen.time), x2: x_of(chosen.time), y1: 6, y2: height - 16 }));
  return picture;
}

function chart(kind, shown) {
  const at = chosen ?? shown.at(-1), values = kind.lines(at), names = kind.names(at);
  const legend = html('ul', { class: 'legend' }, ...values.map((value, line) =>
    html('li', {}, html('i', { class: `s${line % 8}` }), `${names[line]} `, html('b', {}, `${short(value)}`))));
  return html('figure', {}, html('figcaption', {}, kind.title, html('span', {}, chosen ? ` at ${clock(at.time)}` : '')),
    graph(kind, shown, round_up(Math.max(...shown.map(kind.lines).flat(), 1))), legend);
}

function draw() {
  if (document.visibilityState !== 'visible') return;
  const shown = samples.length ? visible() : [];
  if (!shown.includes(chosen)) chosen = null;
  place.replaceChildren(...(shown.length ? kinds.map((kind) => chart(kind, shown))
    : [html('p', { class: 'hint' }, 'Figures come here, once a second, while a program runs.')]));
}

export function add(sample) {
  samples.push(sample);
  if (samples.length > most) samples.shift();
  draw();
}
export function reset(all) {
  samples.splice(0, samples.length, ...(all ?? []).slice(-most));
  draw();
}

place.addEventListener('pointermove', (event) => {
  const picture = event.target.closest?.('svg')?.getBoundingClientRect();
  if (!picture) return;
  const x = (event.clientX - picture.left) / picture.width * width;
  chosen = visible().reduce((best, sample) => Math.abs(x_of(sample.time) - x) < Math.abs(x_of(best.time) - x) ? sample : best);
  draw();
});
place.addEventListener('pointerleave', () => { chosen = null; draw(); });
place.addEventListener('keydown', ({ key }) => {
  const shown = visible(), step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (key === 'Escape') chosen = null;
  else if (step && shown.length) chosen = shown[Math.max(0, Math.min(shown.length - 1, (chosen ? shown.indexOf(chosen) : shown.length - 1) + step))];
  draw();
});
range.addEventListener('change', draw);
draw();
