"""What tools/paraview_check --times measures. It runs in all ranks of `pvbatch --sym`, and leaves in FOLDER, for each
scene and frame of each rank, what ParaView's timer log says: the time of compositing and that of the whole frame."""

import json
import os
import sys

from paraview import simple as pv
from vtkmodules.vtkCommonSystem import vtkTimerLog

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


def events_of_frame(view):
    """(composite, frame) in seconds. Events of type 3 were put into the log with their times; others begin or end."""
    vtkTimerLog.ResetLog()
    pv.Render(view)
    count = vtkTimerLog.GetNumberOfEvents()
    composite, ends = 0.0, []
    for i in range(count):
        name, seconds = vtkTimerLog.GetEventString(i), vtkTimerLog.GetEventWallTime(i)
        if name == "ICET_COMPOSITE_TIME":
            composite += seconds
        elif name == "Still Render":
            ends.append(seconds)
    return composite, ends[-1] - ends[0]


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
            found[draw.__name__].append(events_of_frame(view))
        forget()
    with open(os.path.join(folder, "times.%d" % RANK), "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(sys.argv[1])
