// Hands on the wall: mouse, wheel, touch and keys on the live picture become the program's input. One finger scrolls the
// page, as everywhere, and a tap is a click; with Drag fingers belong to the program.
import { send } from '/link.js';
import { toWall } from '/wall.js';

const canvas = document.getElementById('wall');
let waiting = [], due = false;
const touches = new Map(), taps = new Map();
const tap_moves = 12, tap_ms = 700;
let wheeled = 0;

const modifiers = (event) => (event.shiftKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.altKey ? 4 : 0);

function flush() {
  due = false;
  if (waiting.length) send({ events: waiting.splice(0, 256) });
  if (waiting.length) queue();
}
function queue() {
  if (!due) requestAnimationFrame(flush);
  due = true;
}
// Of moves in a row the last one counts; all else goes at once.
function act(event) {
  if (event.type === 'move' && waiting.at(-1)?.type === 'move') waiting.pop();
  waiting.push(event);
  event.type === 'move' ? queue() : flush();
}

// Fingers have one button, as some mice have: the page's own makes the next press one of the right button.
const right = document.getElementById('right');
const is_right = () => right.getAttribute('aria-pressed') === 'true';
right.addEventListener('click', () => right.setAttribute('aria-pressed', String(!is_right())));

const drag = document.getElementById('drag');
const drags = () => drag.getAttribute('aria-pressed') === 'true';
drag.addEventListener('click', () => {
  drag.setAttribute('aria-pressed', String(!drags()));
  canvas.classList.toggle('drags', drags());
});

function press(event, down) {
  const button = is_right() ? 2 : event.pointerType === 'mouse' ? event.button : 0;
  if (!down) right.setAttribute('aria-pressed', 'false');
  if (button <= 2) act({ type: 'mouse', ...toWall(event), button, down, modifiers: modifiers(event) });
}

/** A finger that came and went at one place; the browser takes those that scroll. */
function touched(begin, end) {
  if (Math.hypot(end.clientX - begin.clientX, end.clientY - begin.clientY) > tap_moves || end.timeStamp - begin.timeStamp > tap_ms) return;
  press(begin, true);
  press(end, false);
}

canvas.addEventListener('pointerdown', (event) => {
  if (event.pointerType === 'touch' && !drags()) return taps.set(event.pointerId, event);
  canvas.focus({ preventScroll: true });
  canvas.setPointerCapture(event.pointerId);
  event.preventDefault();
  if (event.pointerType === 'touch') {
    touches.set(event.pointerId, event.clientY);
    if (touches.size === 2) return press(event, false); // two fingers turn the wheel
    if (touches.size > 2) return;
  }
  press(event, true);
});
canvas.addEventListener('pointermove', (event) => {
  if (taps.has(event.pointerId)) return;
  if (touches.size >= 2 && touches.has(event.pointerId)) {
    wheeled += event.clientY - touches.get(event.pointerId);
    touches.set(event.pointerId, event.clientY);
    for (; Math.abs(wheeled) >= 24; wheeled -= Math.sign(wheeled) * 24)
      act({ type: 'wheel', ...toWall(event), direction: Math.sign(wheeled), modifiers: modifiers(event) });
    return;
  }
  act({ type: 'move', ...toWall(event), modifiers: modifiers(event) });
});
for (const end of ['pointerup', 'pointercancel'])
  canvas.addEventListener(end, (event) => {
    const tap = taps.get(event.pointerId);
    if (taps.delete(event.pointerId)) return end === 'pointerup' && touched(tap, event);
    const several = touches.size > 1;
    touches.delete(event.pointerId);
    if (!several) press(event, false);
  });
canvas.addEventListener('pointerleave', ({ pointerType }) => pointerType !== 'touch' && act({ type: 'leave' }));
canvas.addEventListener('contextmenu', (event) => event.preventDefault());
canvas.addEventListener('wheel', (event) => {
  event.preventDefault();
  act({ type: 'wheel', ...toWall(event), direction: event.deltaY < 0 ? 1 : -1, modifiers: modifiers(event) });
}, { passive: false });

// Tab goes to the program, too; Shift and Escape give the focus back to the page.
const down = new Set();
canvas.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && event.shiftKey) {
    document.querySelector('.tools button:not(:disabled)').focus();
    return;
  }
  if (event.metaKey || event.isComposing) return;
  event.preventDefault();
  down.add(event.key);
  act({ type: 'key', key: event.key, down: true, modifiers: modifiers(event) });
});
canvas.addEventListener('keyup', (event) => {
  if (!down.delete(event.key)) return;
  act({ type: 'key', key: event.key, down: false, modifiers: modifiers(event) });
});
canvas.addEventListener('blur', () => {
  for (const key of down) act({ type: 'key', key, down: false });
  down.clear();
});
