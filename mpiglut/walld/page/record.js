// Recording what is done at the wall, and playing it again.
import { call } from '/link.js';
import { complain } from '/notices.js';

const part = (id) => document.getElementById(id);
let recording = null, replay = null;

/** "11-25 08:30:00" of "wall-20261125-083000-001.jsonl" */
function title(name) {
  const [, month, day, hour, minute, second] = name.match(/^wall-\d{4}(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)/) ?? [];
  return month ? `${month}-${day} ${hour}:${minute}:${second}` : name;
}

async function list() {
  try {
    const { captures } = await (await call('GET', '/api/v1/captures')).json();
    const names = captures.filter((name) => name.endsWith('.jsonl')), before = part('recordings').value;
    part('recordings').replaceChildren(...names.map((name) => new Option(title(name), name)));
    if (names.includes(before)) part('recordings').value = before;
    part('recordings').hidden = !names.length;
    part('recordings').disabled = part('replay').disabled = !names.length;
  } catch { /* the next look finds them */ }
}

export function update(run) {
  const recorded = recording?.runs;
  recording = run?.recording ?? null;
  replay = run?.replay ?? null;
  const off = !run || run.state !== 'running';
  part('record').disabled = off;
  part('record').setAttribute('aria-pressed', String(Boolean(recording?.runs)));
  part('record').textContent = recording?.runs ? `End the recording (${recording.events})` : 'Record input';
  part('replay').textContent = replay?.runs ? 'Stop the replay' : 'Replay';
  part('replay').setAttribute('aria-pressed', String(Boolean(replay?.runs)));
  part('replay').disabled = off || !part('recordings').length;
  part('recordings').disabled = off || !part('recordings').length || Boolean(replay?.runs);
  if (!recorded || recording?.runs || !recording) return;
  const link = document.createElement('a');
  link.href = `/api/v1/captures/${recording.file}`;
  link.download = link.textContent = recording.file;
  part('captured').replaceChildren('Recording: ', link, ` (${recording.events} events)`, recording.error ? `: ${recording.error}.` : '');
  list();
}

export function start() {
  part('record').addEventListener('click', () =>
    call('POST', recording?.runs ? '/api/v1/record/end' : '/api/v1/record', {}).catch(complain));
  part('replay').addEventListener('click', () => {
    const asked = replay?.runs ? call('POST', '/api/v1/replay/end', {}) : call('POST', '/api/v1/replay', { recording: part('recordings').value });
    asked.catch(complain);
  });
  list();
}
