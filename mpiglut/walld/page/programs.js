// The programs of apps.toml: start, stop, restart, and what ran when.
import { call } from '/link.js';

const section = document.getElementById('programs-section'), list = document.getElementById('programs');
const past = document.getElementById('history');
let shown = '';

/** The clock, where one was chosen. */
function choice() {
  const clock = document.getElementById('clock').value.trim();
  return clock ? { clock } : {};
}

function button(text, program, what, notice, off) {
  const element = document.createElement('button');
  element.textContent = text;
  element.disabled = off;
  element.setAttribute('aria-label', `${text} ${program}`);
  element.addEventListener('click', () =>
    call('POST', `/api/v1/programs/${encodeURIComponent(program)}/${what}`, what === 'start' ? choice() : {}).catch((error) => notice(error.message)));
  return element;
}

export function update({ programs, history }, notice) {
  if (!programs) return;
  const now = JSON.stringify([programs, history]);
  if (now === shown) return; // who is about to press a button keeps it
  shown = now;
  section.hidden = false;
  const busy = programs.some((program) => program.running);
  list.replaceChildren(...programs.map((program) => {
    const row = document.createElement('li'), name = document.createElement('span'), what = document.createElement('small');
    name.className = 'name';
    what.textContent = [program.command.split('/').at(-1), ...program.arguments].join(' ') + ` on ${program.wall}`;
    if (program.picture) {
      const picture = document.createElement('img');
      picture.src = `/api/v1/programs/${encodeURIComponent(program.name)}/picture`;
      picture.alt = '';
      row.append(picture);
    }
    name.append(program.name + (program.running ? ' (running)' : ''), what);
    row.append(name, button('Start', program.name, 'start', notice, busy), button('Stop', program.name, 'stop', notice, !program.running),
      button('Restart', program.name, 'restart', notice, !program.running));
    return row;
  }));
  past.replaceChildren(...history.map((run) => {
    const row = document.createElement('li');
    const ways = [run.clock && `clock ${run.clock}`, run.restarts && `restart ${run.restarts} after a crash`].filter(Boolean);
    row.textContent = `${run.name}${ways.length ? ` (${ways.join(', ')})` : ''}: ${new Date(run.began).toLocaleString()}` +
      (run.ended ? `, ${Math.round((run.ended - run.began) / 1000)} s, status ${run.status}` : ', running');
    return row;
  }));
}
