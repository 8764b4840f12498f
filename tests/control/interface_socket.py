"""A WebSocket by hand, for what no browser would do."""
import socket
import struct


def upgrade(wall, *lines):
    """The status of a WebSocket's opening with these headers, its connection, and what has come by it."""
    one = socket.create_connection(("127.0.0.1", wall.port), 30)
    head = ["GET /api/v1/events HTTP/1.1", f"Host: localhost:{wall.port}", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: wall", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", *lines]
    one.sendall("\r\n".join(head + ["", ""]).encode())
    first = one.recv(4096)
    return int(first.split()[1]) if first else 0, one, first


def say(one, text):
    """A message of a WebSocket, masked with nothing."""
    head = bytes([0x81, 0x80 | len(text)]) if len(text) < 126 else struct.pack(">BBH", 0x81, 0xfe, len(text)) if len(text) < 65536 \
        else struct.pack(">BBQ", 0x81, 0xff, len(text))
    one.sendall(head + bytes(4) + text)
