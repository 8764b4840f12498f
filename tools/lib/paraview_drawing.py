"""What the scenes of tools/paraview_check are made of, and how they are run: see paraview_scenes.py."""

import argparse
import ctypes
import json
import os
import struct
import sys
import time

import numpy
from paraview import simple as pv
from PIL import Image

SIZE = [320, 240]
RANK = int(os.environ.get("OMPI_COMM_WORLD_RANK", "0"))
RANKS = int(os.environ.get("OMPI_COMM_WORLD_SIZE", "1"))
RANGES = {"RTData": (37, 277), "ProcessId": (0, 7)}
SCENES = {}


class Scene:
    """What a scene is: who draws it (batch, server, tiles or cave), whether its pictures are blended."""

    def __init__(self, draw, kind, blended):
        self.draw, self.kind, self.blended = draw, kind, blended


def scene(kind="batch", blended=False):
    def add(draw):
        SCENES[draw.__name__] = Scene(draw, kind, blended)
        return draw
    return add


class Pictures:
    """Where a scene leaves what it has drawn."""

    def __init__(self, folder, name, screens):
        self.stem = os.path.join(folder, name)
        self.folder_of_screens, self.count = screens

    def picture(self, view, part="", size=None):
        pv.SaveScreenshot(self.stem + part + ".png", view, ImageResolution=size or list(view.ViewSize))

    def layout(self, layout, size):
        pv.SaveScreenshot(self.stem + ".png", layout, ImageResolution=size)

    def numbers(self, array):
        if RANK == 0:
            numpy.save(self.stem + ".npy", array)

    def words(self, value):
        if RANK == 0:
            with open(self.stem + ".json", "w", encoding="utf-8") as file:
                json.dump(value, file)

    def screens(self, view, mullion=0):
        """What stands on the screens of the server's ranks. A strip at the right, at most as wide as a mullion, is not part
        of the view. ParaView shows there what its rank has drawn last, for whatever tile."""
        layout = pv.GetLayout(view) or pv.CreateLayout("wall")
        if not pv.GetLayout(view):
            pv.AssignViewToLayout(view, layout)
        layout.SMProxy.ShowViewsOnTileDisplay()
        for _ in range(2):                                  # no rank begins the second before all have shown the first
            pv.Render(view)
        time.sleep(0.5)
        for number in range(self.count):
            pixels = pixels_of(os.path.join(self.folder_of_screens, "Xvfb_screen%d" % number))
            Image.fromarray(pixels[:, :pixels.shape[1] - mullion]).save("%s-screen%d.png" % (self.stem, number))


def pixels_of(path):
    """The pixels of a screen of Xvfb, whose file is one of xwd."""
    with open(path, "rb") as file:
        data = file.read()
    header = struct.unpack(">25I", data[:100])
    begin, width, height, pitch, colors = header[0], header[4], header[5], header[12], header[19]
    begin += 12 * colors
    return numpy.frombuffer(data[begin:begin + pitch * height], numpy.uint8).reshape(height, -1, 4)[:, :width, 2::-1]


def view_of(size=None):
    view = pv.CreateView("RenderView")
    view.ViewSize = size or SIZE
    view.OrientationAxesVisibility = 0
    view.UseColorPaletteForBackground = 0
    view.Background = [0.2, 0.3, 0.4]
    return view


def show(source, view, array=None, kind=None, **properties):
    shown = pv.Show(source, view)
    if kind:
        shown.SetRepresentationType(kind)
    if array:
        pv.ColorBy(shown, ("POINTS", array))
        low, high = RANGES[array]
        pv.GetColorTransferFunction(array).RescaleTransferFunction(low, high)
        pv.GetOpacityTransferFunction(array).RescaleTransferFunction(low, high)
    else:
        shown.ColorArrayName = ["POINTS", ""]
    for name, value in properties.items():
        setattr(shown, name, value)
    return shown


def aim(view, azimuth=30, elevation=20):
    pv.ResetCamera(view)
    camera = view.GetActiveCamera()
    camera.Azimuth(azimuth)
    camera.Elevation(elevation)
    pv.ResetCamera(view)
    # At its thresholds, FXAA makes ten levels of one. Each view that is made switches it on again in all of them.
    view.UseFXAA = 0


def field(extent=10):
    """A field that all ranks hold a piece of."""
    return pv.Wavelet(WholeExtent=[-extent, extent] * 3)


def shells(values=(110, 160, 210)):
    return pv.Contour(Input=field(), ContourBy=["POINTS", "RTData"], Isosurfaces=list(values))


def ball(resolution=48):
    return pv.ProcessIdScalars(Input=pv.Sphere(ThetaResolution=resolution, PhiResolution=resolution))


def forget():
    """Nothing of a scene reaches the next one."""
    for view in pv.GetRenderViews():
        pv.Delete(view)
    for _ in range(4):
        for source in list(pv.GetSources().values()):
            pv.Delete(source)
    for layout in list(pv.GetLayouts().values()):
        pv.RemoveLayout(layout)


class Place(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


def library_of(function):
    """The library that this process has a function from."""
    place, process = Place(), ctypes.CDLL(None)
    process.dladdr(getattr(process, function), ctypes.byref(place))
    return os.path.basename(place.file.decode())


def main():
    parser = argparse.ArgumentParser(prog="paraview_scenes.py", description=__doc__)
    parser.add_argument("--server", type=int, help="the port of a pvserver that shall draw them")
    parser.add_argument("--screens", nargs=2, default=("", "0"), help="the server's: a folder, and how many")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="+")
    chosen = parser.parse_args()
    if chosen.server:
        pv.Connect("localhost", chosen.server)
    screens = chosen.screens[0], int(chosen.screens[1])
    with open(os.path.join(chosen.folder, "state.%d" % RANK), "a", encoding="utf-8") as state:
        for name in chosen.names:
            print("begin", name, file=state, flush=True)
            begin = time.monotonic()
            SCENES[name].draw(Pictures(chosen.folder, name, screens))
            forget()
            print("end", name, "%.2f" % (time.monotonic() - begin), file=state, flush=True)
        if not chosen.server:
            print("by", library_of("icetDrawFrame"), file=state, flush=True)
