// Who has control of the wall: this browser, another one, or nobody. All that changes the wall needs it.
import { on, own, send } from '/link.js';
import { ask, notice } from '/notices.js';

const button = document.getElementById('control'), line = document.getElementById('holder');
let holder = null, wishes = false, leaves = false;

const name = ({ client, address }) => `Browser ${client} (${['::1', '127.0.0.1'].includes(address) ? 'localhost' : address})`;
const has = () => holder !== null && holder.client === own();

function show() {
  button.textContent = has() ? 'Give up control' : holder ? 'Ask for control' : 'Take control';
  line.textContent = has() ? 'You have control' : holder ? `${name(holder)} has control` : 'Nobody has control';
  line.title = `You are browser ${own()}`;
  line.dataset.holder = has() ? 'you' : holder ? 'other' : 'nobody';
  document.body.classList.toggle('watcher', holder !== null && !has());
}

function wish() {
  send({ control: 'ask' });
  wishes = true;
  notice(`${name(holder)} is asked for control.`, { actions: { 'Take it now': async () => {
    if (holder && !has() && await ask('Take control?', `${name(holder)} has control, and may be in the middle of something.`, 'Take control'))
      send({ control: 'take' });
  } } });
}

function refused() {
  if (holder && !has()) notice(`${name(holder)} has control.`, { kind: 'bad', actions: { 'Ask for control': wish } });
}

function changed(now) {
  const had = has();
  holder = now;
  for (const toast of document.querySelectorAll('.toast')) if (/ control( now)?\.$/.test(toast.dataset.text)) toast.remove();
  if (had && !has()) notice(holder ? `${name(holder)} has control now.` : leaves ? 'You have given up control.' : 'A script has taken control from you.');
  leaves = false;
  if (has() && !had && wishes) notice('You have control now.');
  wishes &&= !has();
  show();
}

on('hello', (message) => { holder = message.control; show(); });
on('control', (message) => changed(message.control));
on('refused', refused);
on('asked', (message) => notice(`${name(message)} asks for control.`,
  { actions: { [`Give control to browser ${message.client}`]: () => send({ give: message.client }) } }));
on('left', ({ client }) => { for (const toast of document.querySelectorAll('.toast')) if (toast.dataset.text.startsWith(`Browser ${client} (`)) toast.remove(); });
on('lost', () => { line.textContent = ''; });
button.addEventListener('click', () => has() ? (leaves = true, send({ control: 'leave' })) : holder ? wish() : send({ control: 'ask' }));
