// The connection to the server: events come, messages go. It comes back by itself when it was lost.
const listeners = new Map();
let socket = null, patience = 500, leaves = false;

export function on(event, listener) {
  if (!listeners.has(event)) listeners.set(event, []);
  listeners.get(event).push(listener);
}

function tell(event, value) {
  for (const listener of listeners.get(event) ?? []) listener(value);
}

export function leave() {
  leaves = true;
  socket?.close();
}

export function send(message) {
  if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < 65536) socket.send(JSON.stringify(message));
}

export async function call(method, path, body) {
  const answer = await fetch(path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
  if (!answer.ok) {
    const why = await answer.json().catch(() => ({ error: `${answer.status}` }));
    throw new Error(why.error);
  }
  return answer;
}

// A picture: the length of a JSON head, the head, a JPEG.
function picture(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  tell('picture', { head, jpeg: new Blob([new Uint8Array(buffer, 4 + length)], { type: 'image/jpeg' }) });
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
    tell(message.event, message);
  };
  socket.onclose = () => {
    tell('lost');
    if (leaves) return;
    setTimeout(connect, patience);
    patience = Math.min(patience * 2, 10000);
  };
}
