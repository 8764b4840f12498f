// Small charts in SVG: the last minutes, one line for each tile, or for each quantile.
const most = 180, width = 320, height = 110, left = 48;
const samples = [];
const place = document.getElementById('charts');

const kinds = [
  { title: 'Frames per second', lines: (s) => [s.fps], names: () => ['the wall'] },
  { title: 'Swap skew, µs', lines: (s) => [s.skew_p50_us, s.skew_p99_us], names: () => ['median', '99th percentile'] },
  { title: 'Drawing, ms for a frame', lines: (s) => s.draw_ms, names: (s) => s.draw_ms.map((_, rank) => `rank ${rank}`) },
  { title: 'Waiting, ms for a frame', lines: (s) => s.wait_ms, names: (s) => s.wait_ms.map((_, rank) => `rank ${rank}`) },
];

function svg(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const short = (value) => value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;

/** 1, 2 or 5 times a power of ten. */
function round_up(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.01)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= value) ?? 1;
}

function chart(kind) {
  const last = samples.at(-1), rows = samples.map(kind.lines);
  const top = round_up(Math.max(...rows.flat(), 0.1));
  const x = (i) => left + (width - left) * (1 - (samples.length - 1 - i) / (most - 1));
  const y = (value) => height - 14 - (height - 22) * Math.min(1, value / top);
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  const now = kind.lines(last).map((value, i) => `${kind.names(last)[i]} ${short(value)}`).join(', ');
  const value = document.createElement('b');
  value.textContent = kind.lines(last).length > 2 ? '' : kind.lines(last).map(short).join(' / ');
  caption.append(`${kind.title} `, value);
  const picture = svg('svg', { class: 'chart', viewBox: `0 0 ${width} ${height}`, role: 'img',
                               'aria-label': `${kind.title}: ${now}` });
  for (const mark of [0, top / 2, top]) {
    picture.append(svg('line', { class: 'axis', x1: left, x2: width, y1: y(mark), y2: y(mark) }));
    picture.append(svg('text', { x: left - 4, y: y(mark) + 4, 'text-anchor': 'end' }, `${short(mark)}`));
  }
  picture.append(svg('text', { x: left, y: height - 2 }, '3 min ago'), svg('text', { x: width, y: height - 2, 'text-anchor': 'end' }, 'now'));
  kind.lines(last).forEach((_, line) => {
    const points = rows.map((row, i) => `${x(i).toFixed(1)},${y(row[line] ?? 0).toFixed(1)}`).join(' ');
    picture.append(svg('polyline', { class: `line s${line % 8}`, points }, svg('title', {}, kind.names(last)[line])));
  });
  figure.append(caption, picture);
  return figure;
}

export function add(sample) {
  samples.push(sample);
  if (samples.length > most) samples.shift();
  if (document.visibilityState === 'visible') place.replaceChildren(...kinds.map(chart));
}
export function reset(all) {
  samples.length = 0;
  for (const sample of (all ?? []).slice(-most)) samples.push(sample);
  place.replaceChildren(...(samples.length ? kinds.map(chart) : []));
}
