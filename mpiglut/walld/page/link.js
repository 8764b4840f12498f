// The connection to the server: events come, messages go. It comes back by itself when it was lost.
const listeners = new Map();
let socket = null, patience = 500, leaves = false, client = 0;

export function on(event, listener) {
  if (!listeners.has(event)) listeners.set(event, []);
  listeners.get(event).push(listener);
}

function tell(event, value) {
  for (const listener of listeners.get(event) ?? []) listener(value);
}

/** This browser's number at the server. */
export const own = () => client;

export function leave() {
  leaves = true;
  socket?.close();
}

export function send(message) {
  if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < 65536) socket.send(JSON.stringify(message));
}

/** Says which browser asks: what changes the wall needs control. */
export async function call(method, path, body) {
  const address = method === 'POST' && client ? `${path}?client=${client}` : path;
  const answer = await fetch(address, { method, body: body === undefined ? undefined : JSON.stringify(body) })
    .catch(() => { throw new Error('The page’s server does not answer.'); });
  if (answer.ok) return answer;
  const why = await answer.json().catch(() => ({ error: `${answer.status}` }));
  const error = new Error(why.error);
  if (answer.status === 423) { // the other browser is named, and can be asked
    tell('refused');
    error.told = true;
  }
  throw error;
}

// A picture: the length of a JSON head, the head, a JPEG.
function picture(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  tell('picture', { head, jpeg: new Blob([new Uint8Array(buffer, 4 + length)], { type: 'image/jpeg' }) });
}

/** A server that answers, but not to us, has another session in mind. */
async function again() {
  const answer = await fetch('/api/v1/status').catch(() => null);
  if (answer?.status === 401) return tell('stranger');
  setTimeout(connect, patience);
  patience = Math.min(patience * 2, 10000);
}

export function connect() {
  const address = new URL('/api/v1/events', location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => { patience = 500; tell('connected'); };
  socket.onmessage = ({ data }) => {
    if (typeof data !== 'string') return picture(data);
    const message = JSON.parse(data);
    if (message.event === 'hello') client = message.client;
    tell(message.event, message);
  };
  socket.onclose = () => {
    client = 0;
    tell('lost');
    if (!leaves) again();
  };
}
