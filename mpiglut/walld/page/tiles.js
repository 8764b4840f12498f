// The table of tiles: how each one is, and its figures.
const table = document.getElementById('tiles');
const words = { returning: 'coming back', silent: 'no word' };
const fine = ['running', 'ended'], patient = [...fine, 'waiting', 'starting'];

function cell(text, below, name) {
  const element = document.createElement('td');
  element.append(text);
  if (below) {
    const small = document.createElement('small');
    small.textContent = below;
    element.append(small);
  }
  if (name) element.className = name;
  return element;
}

const clock = (time) => new Date(time).toLocaleTimeString([], { hour12: false });

function row(tile) {
  const element = document.createElement('tr');
  const { rank, name, host, display, state, since, cause } = tile;
  element.append(
    cell(`${rank}\u00a0${name}`, ` ${host} ${display}`.trimEnd()),
    cell(words[state] ?? state, fine.includes(state) ? '' : ` since ${clock(since)}`, state),
    cell(tile.fps.toFixed(1)),
    cell(tile.draw_ms.toFixed(1)),
    cell(tile.wait_ms.toFixed(1)),
    cell(tile.lag_us.toFixed(0)),
    cell(tile.cpu_percent.toFixed(0)));
  element.classList.toggle('trouble', !patient.includes(state));
  if (cause) element.title = cause;
  return element;
}

/** The rows that are there are kept as far as they say the same, so that a selection in them stays. */
export function update(run) {
  const rows = (run?.tiles ?? []).map(row);
  rows.forEach((fresh, at) => {
    const old = table.children[at];
    if (!old) table.append(fresh);
    else if (!old.isEqualNode(fresh)) old.replaceWith(fresh);
  });
  while (table.childElementCount > rows.length) table.lastChild.remove();
  if (rows.length) return;
  const none = document.createElement('tr'), text = cell('The tiles of the next run come here.');
  text.colSpan = 7;
  none.append(text);
  table.append(none);
}
