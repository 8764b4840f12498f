// The program's menu that is open, over the live picture. A choice goes to the program; a press elsewhere, or Escape, closes it.
import { send } from '/link.js';
import { size } from '/wall.js';

const box = document.getElementById('menu'), canvas = document.getElementById('wall');
let shown = 'null';

const choose = (item, menu) => send({ events: [item ? { type: 'menu', menu, item } : { type: 'menu', item: 0 }] });

function list({ menu, entries }, label) {
  const group = document.createElement('div');
  group.setAttribute('role', 'menu');
  group.setAttribute('aria-label', label);
  entries.forEach((entry, at) => {
    const item = document.createElement('button');
    item.setAttribute('role', 'menuitem');
    item.textContent = entry.label || '\u00a0';
    group.append(item);
    if (!entry.submenu) return item.addEventListener('click', () => choose(at + 1, menu));
    const below = list(entry.submenu, entry.label);
    const open = (yes) => { below.hidden = !yes; item.setAttribute('aria-expanded', String(yes)); };
    item.setAttribute('aria-haspopup', 'menu');
    item.addEventListener('click', () => open(below.hidden));
    item.addEventListener('keydown', ({ key }) => { if (key === 'ArrowRight') open(true); if (key === 'ArrowLeft') open(false); });
    open(false);
    group.append(below);
  });
  return group;
}

export function update(run) {
  const menu = run?.menu ?? null, now = JSON.stringify(menu);
  if (now === shown) return;
  shown = now;
  const had_focus = box.contains(document.activeElement);
  box.hidden = !menu;
  box.replaceChildren(...(menu ? [list(menu, 'Menu of the program')] : []));
  if (had_focus) canvas.focus({ preventScroll: true });
  if (!menu) return;
  const own = menu.by === 'operator', wall = size();
  for (const item of box.querySelectorAll('[role=menuitem]')) item.disabled = !own && !item.hasAttribute('aria-haspopup');
  const inside = (share, room, whole) => `${Math.max(0, Math.min(share * whole, whole - room))}px`;
  box.style.left = inside(menu.x / wall.width, box.offsetWidth, canvas.offsetWidth);
  box.style.top = inside(menu.y / wall.height, box.offsetHeight, canvas.offsetHeight);
  if (own && document.activeElement === canvas) box.querySelector('button')?.focus({ preventScroll: true });
}

box.addEventListener('keydown', (event) => {
  const items = [...box.querySelectorAll('[role=menuitem]')].filter((item) => item.offsetParent && !item.disabled);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
  if (event.key === 'Escape') choose(0);
  if (step || event.key === 'Escape') event.preventDefault();
});
// Before the picture hears of it: this press is for nobody else.
document.addEventListener('pointerdown', (event) => {
  if (box.hidden || box.contains(event.target) || JSON.parse(shown).by !== 'operator') return;
  choose(0);
  if (event.target !== canvas) return;
  event.preventDefault();
  event.stopPropagation();
}, { capture: true });
