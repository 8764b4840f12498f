// What the page has to say in passing: notices above everything, and the one question that comes before what ends a program.
const toasts = document.getElementById('toasts'), dialog = document.getElementById('confirm');
const stay = { info: 8000, bad: 20000 };

/** A notice. `kind`: 'info' or 'bad'. `actions`: {text: function}, each a button; one with buttons stays until it is closed. */
export function notice(text, { kind = 'info', actions = {} } = {}) {
  const same = [...toasts.children].find((one) => one.dataset.text === text);
  if (same) return same.restart(); // who is about to press one of its buttons keeps it
  const toast = document.createElement('div'), words = document.createElement('p'), shut = document.createElement('button');
  toast.className = `toast ${kind}`;
  toast.dataset.text = text;
  toast.setAttribute('role', kind === 'bad' ? 'alert' : 'status');
  words.textContent = text;
  shut.textContent = '×';
  shut.className = 'shut';
  shut.setAttribute('aria-label', 'Close the notice');
  const close = () => toast.remove();
  shut.addEventListener('click', close);
  toast.append(words, shut);
  for (const [name, act] of Object.entries(actions)) {
    const button = document.createElement('button');
    button.textContent = name;
    button.addEventListener('click', () => { close(); act(); });
    toast.append(button);
  }
  let timer = 0;
  toast.restart = () => {
    clearTimeout(timer);
    if (!Object.keys(actions).length) timer = setTimeout(close, stay[kind]);
    return toast;
  };
  // It stays while somebody reads it.
  for (const begin of ['pointerenter', 'focusin']) toast.addEventListener(begin, () => clearTimeout(timer));
  for (const end of ['pointerleave', 'focusout']) toast.addEventListener(end, toast.restart);
  toasts.append(toast);
  while (toasts.childElementCount > 5) toasts.firstChild.remove();
  return toast.restart();
}

/** What could not be done, and why. */
export const complain = (error) => error.told || notice(error.message, { kind: 'bad' });

/** True when `action`, the text of a button, is what the operator wants. */
export function ask(title, text, action) {
  document.getElementById('confirm-title').textContent = title;
  document.getElementById('confirm-text').textContent = text;
  document.getElementById('confirm-yes').textContent = action;
  dialog.returnValue = '';
  dialog.showModal();
  document.getElementById('confirm-no').focus();
  return new Promise((answer) => dialog.addEventListener('close', () => answer(dialog.returnValue === 'yes'), { once: true }));
}
