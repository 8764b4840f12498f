// One status for the whole wall, on top of the page: how it is, why, and what helps.
import { on } from '/link.js';
import { complain } from '/notices.js';
import { act } from '/programs.js';

const part = (id) => document.getElementById(id);
const bad = ['dead', 'hung', 'silent', 'late', 'returning'];
let run = null, more = {}, link = 'connecting', lost_at = 0, shown = '';

const clock = (time) => new Date(time).toLocaleTimeString([], { hour12: false });
const places = (tiles) => `${tiles.length === 1 ? 'Tile' : `${tiles.length} tiles:`} ${tiles.map(({ name }) => name).join(', ')}`;
const ranks = (tiles) => tiles.map(({ rank, host, since, cause }) =>
  `Rank ${rank} on ${host || 'this host'}${cause ? `: ${cause},` : ''} since ${clock(since)}.`).join(' ');

/** What each state of a tile means: [singular, plural, cause, remedy]. */
const meaning = {
  dead: ['is dead', 'are dead', 'The others go on without it.', 'It stays dead for the rest of this run. Restart the program to have it back.'],
  hung: ['hangs', 'hang', 'It is busy in the program, or stopped; the others wait for it.',
    'Look for its rank in the log. If it does not go on, restart the program.'],
  silent: ['says nothing', 'say nothing', 'Nothing is heard of it: its host is down, overloaded or cut off.', 'Look after the host and its network.'],
  late: ['is late', 'are late', 'The others wait for it.', 'It may catch up by itself. After five seconds it counts as hanging.'],
  returning: ['is coming back', 'are coming back', 'It has been started again and catches up with the others.',
    'There is nothing to do: it joins by itself. The wall may be slower until then.'],
};

/** In words, for signals that a shell would count from 128. */
function ending(status) {
  const signals = { 1: 'hung up', 2: 'interrupted', 6: 'aborted', 8: 'arithmetic error', 9: 'killed', 11: 'segmentation fault', 15: 'told to end' };
  return status > 128 && status < 160 ? `signal ${status - 128}${signals[status - 128] ? `, ${signals[status - 128]}` : ''}` : `status ${status}`;
}

function of_end() {
  const { exit_status: status, frames, name, last_words: words, ended } = run;
  const single = !more.programs, again = single ? 'Start mpiglutrun again for another run; this page ends with it.' : 'Start it again, or another program.';
  const at = `At ${clock(ended)}, after ${frames} frames.`;
  if (status === 0) return { level: 'past', title: `${name} ended normally`, text: [at, again] };
  if (more.restarting) return { level: 'bad', title: `${name} ended with ${ending(status)}`, text: [at, 'It is about to be started again.'], words };
  const title = status === null ? `${name} is gone without a word` : !frames ? `${name} could not start`
    : [130, 143].includes(status) ? `${name} was stopped` : `${name} ended with ${ending(status)}`;
  if ([130, 143].includes(status)) return { level: 'past', title, text: [at, again] };
  const how = status === null ? 'Its mpiglutrun has been killed.' : !frames ? `It ended with ${ending(status)} before its first frame.` : at;
  return { level: 'bad', title, text: words.length ? [words.at(-1), words.length > 1 ? `${how} It printed last:` : how] : [how, 'It printed no error. The log may say more.'],
    words: words.length > 1 ? words : [],
    remedies: single ? [] : ['restart'] };
}

function of_tiles() {
  const kinds = bad.map((state) => [state, run.tiles.filter((tile) => tile.state === state)]).filter(([, tiles]) => tiles.length);
  if (!kinds.length) return null;
  const title = kinds.map(([state, tiles]) => `${places(tiles)} ${meaning[state][tiles.length > 1 ? 1 : 0]}`).join('; ');
  const text = kinds.flatMap(([state, tiles]) => [`${ranks(tiles)} ${meaning[state][2]}`, meaning[state][3]]);
  const restart = more.programs && kinds.some(([state]) => state === 'dead' || state === 'hung');
  return { level: 'bad', title, text, remedies: [...(restart ? ['restart'] : []), ...(kinds.some(([state]) => state !== 'dead') ? ['log'] : [])],
    rank: kinds.find(([state]) => state !== 'dead')?.[1][0].rank };
}

/** {level, state, title, text, words, remedies}: without a title there is nothing to explain. */
function judge() {
  if (link === 'out') return { level: 'past', state: 'logged out', title: 'You have logged out',
    text: ['The link opens the page again. “wallctl link” prints it on the wall’s host.'] };
  if (link === 'stranger') return { level: 'lost', state: 'no access', title: 'This page is logged out',
    text: ['The server has another token or has ended the session.', 'On the wall’s host, “wallctl link” prints the link that opens the page.'] };
  if (link === 'lost' && run?.state === 'ended' && !more.programs) return { state: 'ended', ...of_end() };
  if (link === 'lost') return { level: 'lost', state: 'no connection', title: 'No connection to the page’s server',
    text: [`The server has not answered since ${clock(lost_at)}. ${!run || run.state === 'ended' ? '' : more.programs
      ? 'If walld has ended, the program has ended with it; if only the network is down, the program goes on.'
      : 'The program does not need it: the wall goes on. All below is from before.'}`,
      'The page tries again by itself. If the server has ended, start it again.'] };
  if (link === 'connecting') return { level: 'wait', state: 'connecting …' };
  if (!run) return { level: 'wait', state: 'no program is running', title: null };
  if (run.state === 'ended') return { state: run.exit_status === null ? 'ended' : `ended with status ${run.exit_status}`, ...of_end() };
  const state = run.state + (run.clock === 'wall' ? '' : `, clock ${run.clock}`) + (run.replay?.runs ? ', replays' : '') +
    (run.shows === 'picture' ? '' : `, shows: ${run.shows}`);
  if (run.state === 'starting') return { level: 'wait', state };
  const trouble = of_tiles();
  if (trouble) return { state, ...trouble };
  if (run.divergences) return { level: 'warn', state, title: `The tiles have differed ${run.divergences} times`,
    text: ['Ranks got different answers to the same question, so tiles may show different frames.', 'The log says where. Restart the program to have them alike again.'],
    remedies: ['log', ...(more.programs ? ['restart'] : [])] };
  return { level: 'good', state };
}

const does = {
  restart: ['Restart', () => act(more.programs?.find(({ running }) => running)?.name ?? more.history?.[0]?.name, 'restart').catch(complain)],
  log: ['Show its log', (rank) => { part('rank').value = rank ?? ''; part('rank').dispatchEvent(new Event('input')); part('log').focus(); }],
};

function show() {
  const now = judge(), text = JSON.stringify(now);
  part('headline').textContent = link === 'there' && run?.state === 'running' ? `${run.fps.toFixed(1)} frames/s` : '';
  document.body.dataset.time = link !== 'there' && run ? 'lost' : run?.state === 'ended' ? 'past' : 'now';
  part('past').hidden = document.body.dataset.time === 'now';
  part('past').textContent = document.body.dataset.time === 'lost' && run?.state !== 'ended' ? `As it was at ${clock(lost_at || Date.now())}`
    : run?.ended ? `Past: ended at ${clock(run.ended)}` : '';
  if (text === shown) return; // screen readers hear it once, and who is about to press a button keeps it
  shown = text;
  part('status').dataset.level = part('trouble').dataset.level = now.level;
  document.body.classList.toggle('idle', link === 'there' && !run);
  part('state').textContent = now.state;
  part('program').textContent = run?.name || 'The wall';
  document.title = `${{ bad: '⚠ ', lost: '⛔ ' }[now.level] ?? ''}${now.title ?? part('program').textContent}`;
  const [cause = '', ...remedy] = now.text ?? [];
  part('alarm').hidden = !now.title;
  part('trouble').hidden = !remedy.length;
  part('trouble-title').textContent = now.title ?? '';
  part('cause').textContent = cause;
  part('trouble-text').replaceChildren(...remedy.map((line) => Object.assign(document.createElement('p'), { textContent: line })));
  part('last-words').hidden = !now.words?.length;
  part('last-words').textContent = now.words?.join('\n') ?? '';
  part('remedies').replaceChildren(...(now.remedies ?? []).map((name) => {
    const button = document.createElement('button');
    [button.textContent] = does[name];
    if (name === 'restart' && run.state === 'ended') button.textContent = 'Start again';
    if (name !== 'log') button.className = 'changes';
    button.addEventListener('click', () => does[name][1](now.rank));
    return button;
  }));
}

export function update(message) {
  run = message.run;
  for (const key of ['programs', 'history', 'restarting']) if (key in message) more[key] = message[key];
  show();
}

/** 'there', 'lost', 'stranger' or 'out'. */
export function linked(how) {
  if (link === 'out' || (link === 'stranger' && how === 'lost')) return;
  if (how !== 'there' && link === 'there') lost_at = Date.now();
  link = how;
  show();
}

on('lost', () => linked('lost'));
on('stranger', () => linked('stranger'));
