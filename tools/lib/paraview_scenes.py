"""The scenes of tools/paraview_check. This runs in all ranks of `pvbatch --sym`, or in the client of a pvserver."""

from paraview import servermanager
from paraview import simple as pv
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCollection

from paraview_drawing import RANKS, SIZE, aim, ball, field, main, scene, shells, show, view_of


@scene()
def surface(out):
    view = view_of()
    show(ball(), view, "ProcessId")
    aim(view)
    out.picture(view)


@scene()
def contours(out):
    view = view_of()
    show(shells(), view, "RTData")
    aim(view)
    out.picture(view)


@scene()
def slices(out):
    view = view_of([323, 241])
    data = field()
    for axis in range(3):
        cut = pv.Slice(Input=data, SliceType="Plane")
        cut.SliceType.Normal = [float(axis == i) for i in range(3)]
        show(cut, view, "RTData")
    aim(view)
    out.picture(view)


@scene()
def edges_and_points(out):
    view = view_of()
    show(field(5), view, kind="Outline")
    show(pv.Sphere(Radius=4.5, Center=[-2.0, 0.0, 0.0]), view, kind="Surface With Edges")
    show(pv.Contour(Input=field(5), ContourBy=["POINTS", "RTData"], Isosurfaces=[200]), view, kind="Points", PointSize=4)
    aim(view)
    out.picture(view)


@scene()
def lines(out):
    view = view_of()
    show(pv.ExtractEdges(Input=pv.Sphere(Radius=6.0)), view, LineWidth=2)
    show(pv.Tube(Input=pv.ExtractEdges(Input=pv.Sphere(Radius=3.0)), Radius=0.2), view)
    aim(view, -40, 10)
    out.picture(view)


@scene()
def patch_through_near_plane(out):
    """The data reach behind the camera and over all sides of the window."""
    view = view_of()
    show(shells(), view, "RTData")
    view.ResetCamera()
    view.CameraPosition, view.CameraFocalPoint = [2.0, 1.0, 6.0], [0.0, 0.0, 0.0]
    view.CameraViewAngle = 70
    out.picture(view)


@scene()
def corner_of_the_window(out):
    """Small in a corner, by a parallel projection: most pixels are background on all ranks."""
    view = view_of()
    show(ball(), view, "ProcessId")
    view.CameraParallelProjection = 1
    view.ResetCamera()
    view.CameraFocalPoint, view.CameraPosition = [2.0, 1.4, 0.0], [2.0, 1.4, 5.0]
    view.CameraParallelScale = 2.0
    out.picture(view)


@scene(blended=True)
def volume(out):
    view = view_of()
    show(field(), view, "RTData", "Volume")
    aim(view)
    out.picture(view)


@scene(blended=True)
def volume_and_surface(out):
    view = view_of([317, 233])
    show(field(), view, "RTData", "Volume")
    show(shells([200]), view)
    aim(view, 70, -20)
    out.picture(view)


@scene(blended=True)
def translucent(out):
    view = view_of()
    show(shells(), view, "RTData", Opacity=0.4)
    aim(view)
    out.picture(view)


@scene(blended=True)
def translucent_and_opaque(out):
    view = view_of()
    show(ball(), view, "ProcessId", Opacity=0.5)
    show(pv.Cone(Resolution=30, Center=[0.3, 0.0, 0.0]), view)
    view.Background = [1.0, 1.0, 1.0]
    aim(view)
    out.picture(view)


@scene(blended=True)
def translucent_from_all_sides(out):
    """The order of the ranks changes with the camera."""
    view = view_of([160, 120])
    show(shells([160, 210]), view, "RTData", Opacity=0.5)
    for turn in range(6):
        aim(view, 60 * turn, 15)
        out.picture(view, "-%d" % turn)


@scene()
def scalar_bar_and_text(out):
    view = view_of()
    shown = show(shells(), view, "RTData")
    shown.SetScalarBarVisibility(view, True)
    show_text = pv.Show(pv.Text(Text="pixels of all ranks"), view)
    show_text.FontSize = 14
    aim(view)
    out.picture(view)


@scene()
def axes(out):
    view = view_of()
    view.OrientationAxesVisibility = 1
    view.AxesGrid.Visibility = 1
    show(shells([200]), view)
    aim(view)
    out.picture(view)


@scene()
def gradient_background(out):
    view = view_of()
    view.BackgroundColorMode = "Gradient"
    view.Background, view.Background2 = [0.0, 0.0, 0.2], [0.9, 0.6, 0.1]
    show(shells([160]), view)
    aim(view)
    out.picture(view)


@scene()
def float_values(out):
    """ParaView's value pass: the picture is the field's values, as floats."""
    view = view_of()
    show(shells(), view, "RTData")
    aim(view)
    pv.Render(view)
    drawn = view.GetClientSideObject()
    drawn.BeginValuePassForRendering(0, "RTData", 0)
    pv.Render(view)
    values = drawn.GrabValuePassResult()
    drawn.EndValuePassForRendering()
    if values:
        out.numbers(vtk_to_numpy(values).copy())


@scene()
def depths(out):
    view = view_of()
    show(shells(), view, "RTData")
    aim(view)
    pv.Render(view)
    values = view.CaptureDepthBuffer()
    if values:
        out.numbers(vtk_to_numpy(values).copy())


def select(view, how, area):
    shown, chosen = vtkCollection(), vtkCollection()
    getattr(view.SMProxy, how)(area, shown, chosen)
    lists = []
    for i in range(chosen.GetNumberOfItems()):
        ids = servermanager._getPyProxy(chosen.GetItemAsObject(i)).GetProperty("IDs")
        lists.append(sorted(ids.GetData() if ids else []))
    return lists


@scene()
def selected_cells(out):
    view = view_of()
    data = ball()
    show(data, view, "ProcessId")
    aim(view)
    pv.Render(view)
    out.words(select(view, "SelectSurfaceCells", [100, 80, 200, 150]))


@scene()
def selected_points(out):
    view = view_of()
    show(shells([160]), view, "RTData")
    aim(view)
    pv.Render(view)
    out.words(select(view, "SelectSurfacePoints", [20, 20, 240, 190]))


@scene()
def rank_without_data(out):
    """The last rank has nothing to draw."""
    view = view_of()
    last = max(RANKS - 2, 0)
    show(pv.Threshold(Input=ball(), Scalars=["POINTS", "ProcessId"], LowerThreshold=0, UpperThreshold=last), view,
         "ProcessId")
    aim(view)
    out.picture(view)


@scene(blended=True)
def translucent_on_one_rank(out):
    """All ranks except the first have nothing to draw."""
    view = view_of()
    show(pv.Threshold(Input=ball(), Scalars=["POINTS", "ProcessId"], LowerThreshold=0, UpperThreshold=0), view,
         "ProcessId", Opacity=0.6)
    aim(view)
    out.picture(view)


@scene()
def nothing_at_all(out):
    view = view_of()
    out.picture(view)


@scene(blended=True)
def several_views(out):
    first, second, third = view_of([200, 160]), view_of([120, 200]), view_of([90, 90])
    data = shells()
    show(data, first, "RTData")
    show(data, second, "RTData", Opacity=0.5)
    show(ball(), third, "ProcessId")
    for turn, view in enumerate((first, second, third, first)):
        aim(view, 20 * turn, 10)
        out.picture(view, "-%d" % turn)


@scene()
def layout_of_views(out):
    left, right = view_of(), view_of()
    show(shells([160]), left, "RTData")
    show(ball(), right, "ProcessId")
    layout = pv.CreateLayout("two")
    layout.AssignView(layout.SplitHorizontal(0, 0.4), left)
    layout.AssignView(layout.GetEmptyCell() if hasattr(layout, "GetEmptyCell") else 2, right)
    for view in (left, right):
        aim(view)
    out.layout(layout, [420, 200])


@scene()
def larger_than_the_view(out):
    """ParaView draws such a picture in parts."""
    view = view_of()
    show(shells(), view, "RTData")
    aim(view)
    out.picture(view, size=[800, 600])


@scene()
def sizes_and_cameras(out):
    """Frames of one view, whose size, camera and data change."""
    view = view_of()
    data = shells([160])
    show(data, view, "RTData")
    for frame, size in enumerate(([320, 240], [64, 48], [301, 37], [35, 200], [240, 320])):
        view.ViewSize = size
        data.Isosurfaces = [120 + 25 * frame]
        aim(view, 15 * frame, 5)
        out.picture(view, "-%d" % frame)


@scene()
def coarse_pixels(out):
    """As while the camera is moved: a picture of fewer pixels than the window."""
    view = view_of()
    show(shells(), view, "RTData")
    aim(view)
    view.StillRenderImageReductionFactor = 3
    out.picture(view)


@scene()
def red_and_blue(out):
    view = view_of()
    show(shells(), view)
    aim(view)
    pv.SaveScreenshot(out.stem + ".png", view, ImageResolution=SIZE, StereoMode="Red-Blue")


@scene()
def ambient_occlusion(out):
    view = view_of()
    show(shells(), view)
    aim(view)
    view.UseAmbientOcclusion, view.UseFXAA = 1, 1
    out.picture(view)


def far_view(threshold=0):
    """A view that a server draws when there is more data than the threshold, in MB."""
    view = view_of()
    view.RemoteRenderThreshold = threshold
    return view


@scene("server")
def client_of_a_server(out):
    view = far_view()
    show(shells(), view, "RTData")
    aim(view)
    out.picture(view)


@scene("server", blended=True)
def translucent_from_a_server(out):
    view = far_view()
    show(shells(), view, "RTData", Opacity=0.4)
    aim(view)
    out.picture(view)


@scene("server")
def cells_selected_on_a_server(out):
    view = far_view()
    show(ball(), view, "ProcessId")
    aim(view)
    pv.Render(view)
    out.words(select(view, "SelectSurfaceCells", [100, 80, 200, 150]))


@scene("tiles")
def tiles(out):
    view = far_view()
    show(shells(), view, "RTData")
    aim(view)
    out.screens(view, mullion=20)


@scene("tiles", blended=True)
def tiles_of_a_volume(out):
    view = far_view()
    show(field(), view, "RTData", "Volume")
    aim(view)
    out.screens(view, mullion=20)


@scene("tiles")
def tiles_of_replicated_data(out):
    """Data below the threshold are on all ranks."""
    view = far_view(1000)
    show(shells(), view, "RTData")
    aim(view)
    out.screens(view, mullion=20)


@scene("cave")
def cave(out):
    view = far_view()
    for turn in range(4):
        place = [5.0 * (turn == 0) - 5.0 * (turn == 1), 0.4, 5.0 * (turn == 2) - 5.0 * (turn == 3)]
        show(pv.Sphere(Radius=2.0, Center=place, ThetaResolution=32, PhiResolution=32), view)
    pv.Render(view)
    view.CameraPosition, view.CameraFocalPoint = [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]
    out.screens(view)


if __name__ == "__main__":
    main()
