"""An X server without a monitor whose pixels can be read: Xvfb keeps them in a file, an XWD picture."""
import os
import struct
import subprocess
import tempfile


class Screen:
    def __init__(self, width, height):
        self.folder = tempfile.TemporaryDirectory(prefix="screen-")
        get, put = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(put), "-nolisten", "tcp", "-screen", "0", f"{width}x{height}x24",
                                        "-fbdir", self.folder.name], pass_fds=[put], stderr=subprocess.DEVNULL)
        os.close(put)
        with os.fdopen(get) as told:
            self.display = ":" + told.readline().strip()

    def pixel(self, x, y):
        """Red, green and blue of what is shown there."""
        with open(f"{self.folder.name}/Xvfb_screen0", "rb") as file:
            picture = file.read()
        fields = struct.unpack(">25I", picture[:100])
        head, line, bits, colours = fields[0], fields[12], fields[11], fields[19]
        at = head + 12 * colours + y * line + x * bits // 8
        blue, green, red = picture[at:at + 3]
        return red, green, blue

    def end(self):
        self.server.terminate()
        self.server.wait(60)
        self.folder.cleanup()
