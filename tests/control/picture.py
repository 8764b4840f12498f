"""A PNG picture of 8 bit RGB, as the wall makes them."""
import struct
import zlib


class Picture:
    def __init__(self, png):
        self.width, self.height = struct.unpack(">II", png[16:24])
        depth, colour = png[24:26]
        assert png.startswith(b"\x89PNG") and (depth, colour) == (8, 2), "a PNG of 8 bit RGB"
        packed, at = b"", 8
        while at < len(png):
            length, kind = struct.unpack(">I4s", png[at:at + 8])
            if kind == b"IDAT":
                packed += png[at + 8:at + 8 + length]
            at += 12 + length
        self.rows = self._unfiltered(zlib.decompress(packed))

    def _unfiltered(self, lines):
        rows, above, stride = [], bytearray(self.width * 3), self.width * 3 + 1
        for y in range(self.height):
            kind, row = lines[y * stride], bytearray(lines[y * stride + 1:(y + 1) * stride])
            for i in range(len(row) if kind else 0):
                left, up, corner = (row[i - 3], above[i], above[i - 3]) if i >= 3 else (0, above[i], 0)
                guess = left + up - corner
                nearest = min((left, up, corner), key=lambda value: abs(guess - value))
                row[i] = (row[i] + (left, up, (left + up) // 2, nearest)[kind - 1]) & 255
            rows.append(bytes(row))
            above = row
        return rows

    def at(self, x, y):
        return tuple(self.rows[y][3 * x:3 * x + 3])

    def differs(self, other):
        """How many pixels differ; all of them where the sizes do."""
        if (self.width, self.height) != (other.width, other.height):
            return self.width * self.height
        return sum(a[i:i + 3] != b[i:i + 3] for a, b in zip(self.rows, other.rows) if a != b for i in range(0, len(a), 3))
