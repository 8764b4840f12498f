"""What tools/paraview_check --times measures. It runs in all ranks of `pvbatch --sym`, and leaves in FOLDER, for each
scene and frame of each rank, when the frame began, and what ParaView's timer log says: the times of rendering and of
compositing, and that of the whole frame."""

import json
import os
import sys
import time

from paraview import simple as pv
from vtkmodules.vtkCommonSystem import vtkTimerLog
from vtkmodules.vtkParallelCore import vtkMultiProcessController

from paraview_drawing import RANK, RANKS, aim, ball, forget, shells, show, view_of

FRAMES = 8


def surfaces(view):
    show(pv.Sphere(ThetaResolution=200, PhiResolution=200), view)


def contours(view):
    show(shells(), view, "RTData")


def translucent(view):
    show(shells(), view, "RTData", Opacity=0.4)


def a_rank_without_data(view):
    show(pv.Threshold(Input=ball(200), Scalars=["POINTS", "ProcessId"], LowerThreshold=0,
                      UpperThreshold=max(RANKS - 2, 0)), view)


def one_rank_with_data(view):
    show(pv.Threshold(Input=ball(200), Scalars=["POINTS", "ProcessId"], LowerThreshold=0, UpperThreshold=0), view)


def frame_of(view):
    """[begin, render, composite, whole] in seconds. The log has IceT's times as events, others as pairs of them."""
    vtkMultiProcessController.GetGlobalController().Barrier()
    vtkTimerLog.ResetLog()
    begin = time.monotonic()                                # the same clock in all ranks of a machine
    pv.Render(view)
    whole, sums = time.monotonic() - begin, {"ICET_RENDER_TIME": 0.0, "ICET_COMPOSITE_TIME": 0.0}
    for i in range(vtkTimerLog.GetNumberOfEvents()):
        name = vtkTimerLog.GetEventString(i)
        if name in sums:
            sums[name] += vtkTimerLog.GetEventWallTime(i)
    return [begin, *sums.values(), whole]


def main(folder):
    vtkTimerLog.SetLogging(1)
    vtkTimerLog.SetMaxEntries(10000)
    found = {}
    for draw in (surfaces, contours, translucent, a_rank_without_data, one_rank_with_data):
        view = view_of([1920, 1080])
        draw(view)
        aim(view)
        for _ in range(2):
            pv.Render(view)
        found[draw.__name__] = []
        for _ in range(FRAMES):
            view.GetActiveCamera().Azimuth(5)
            found[draw.__name__].append(frame_of(view))
        forget()
    with open(os.path.join(folder, "times.%d" % RANK), "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(sys.argv[1])
