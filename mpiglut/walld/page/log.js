// What all ranks have printed, with a filter.
const place = document.getElementById('log'), filter = document.getElementById('filter'), rank = document.getElementById('rank');
const most = 2000;
let lines = [];

function fits(line) {
  return line.text.toLowerCase().includes(filter.value.toLowerCase()) && (rank.value === '' || `${line.rank}` === rank.value);
}

function row(line) {
  const element = document.createElement('div'), head = document.createElement('span');
  element.className = line.stream;
  head.textContent = `${new Date(line.time).toLocaleTimeString()} ${line.rank < 0 ? 'wall' : line.rank} `;
  element.append(head, line.text);
  return element;
}

export function add(more) {
  lines = lines.concat(more).slice(-most);
  const at_end = place.scrollHeight - place.scrollTop - place.clientHeight < 40;
  place.append(...more.filter(fits).map(row));
  while (place.childElementCount > most) place.firstChild.remove();
  if (at_end) place.scrollTop = place.scrollHeight;
}
export function reset(all) {
  lines = [];
  place.replaceChildren();
  add(all ?? []);
  place.scrollTop = place.scrollHeight;
}
export function ranks(count) {
  while (rank.options.length - 1 < count) rank.add(new Option(`${rank.options.length - 1}`));
}
for (const element of [filter, rank])
  element.addEventListener('input', () => place.replaceChildren(...lines.filter(fits).map(row)));
