// What all ranks have printed, in this run and those before it, with filters. Trouble has a colour and a sign.
const place = document.getElementById('log'), filter = document.getElementById('filter'), rank = document.getElementById('rank');
const severity = document.getElementById('severity');
const most = 2000, sign = { bad: '✖', warn: '⚠' };
let lines = [], last_day = '';

/** 'mark', 'bad', 'warn', 'note' or ''. */
function kind({ stream, rank, text }) {
  if (stream === 'mark') return 'mark';
  if (/^(\w+: )?note: /.test(text)) return 'note';
  if (/\b(error|fatal|abort(ed)?|assert\w*|exception|traceback|panic|segmentation)\b/i.test(text)) return 'bad';
  if (rank < 0) return /^mpiglutrun: |\b(killed|died|dead|gone|cannot|could not|did not|failed|ended with status [1-9]|exited with status [1-9]|without it)\b/.test(text) ? 'bad' : 'note';
  return stream !== 'out' || /\bwarn(ing)?\b/i.test(text) ? 'warn' : '';
}

function fits(line) {
  return line.stream === 'mark' || (line.text.toLowerCase().includes(filter.value.toLowerCase()) &&
    (rank.value === '' || `${line.rank}` === rank.value) && (severity.value === '' || kind(line) in sign));
}

function row(line) {
  const element = document.createElement('div'), head = document.createElement('span'), time = new Date(line.time);
  element.className = kind(line);
  const day = time.toLocaleDateString(), clock = time.toLocaleTimeString([], { hour12: false });
  head.textContent = line.stream === 'mark' ? `${day === last_day ? '' : `${day} `}${clock} `
    : `${clock} ${line.rank < 0 ? 'wall' : `rank ${line.rank}`} ${sign[element.className] ?? ' '} `;
  if (line.stream === 'mark') last_day = day;
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

function draw() {
  last_day = '';
  place.replaceChildren(...lines.filter(fits).map(row));
  place.scrollTop = place.scrollHeight;
}

export function reset(all) {
  lines = (all ?? []).slice(-most);
  draw();
}
export function ranks(count) {
  while (rank.options.length - 1 < count) rank.add(new Option(`${rank.options.length - 1}`));
}
for (const element of [filter, rank, severity]) element.addEventListener('input', draw);
