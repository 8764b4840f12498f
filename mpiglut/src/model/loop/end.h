// The ways a run ends: the program's exit() from wherever it is, the main loop's return, a request from outside.
#pragma once

namespace mpiglut {

/// From glutInit: what is to be done at exit(), and signals as a request to end in order.
void prepare_end();
/// Once there is a window, and with it the driver: the exit handlers that the driver has made are not run in children.
void spare_children_the_driver();
/// Ends the run as exit() does, without the exit handlers of the program, which may wait for locks that it holds.
void leave_at_once(int status);
/// Rank 0 has been asked to end the run.
bool interrupted();
/// The main loop is over: windows go, FreeGLUT is reset so that glutInit may be called again.
void end_session();

/// Once frames may be late: MPI would wait for their pixels in vain. The handler is younger than the driver's, so it
/// comes while the driver is whole, also where main() returns.
void leave_nothing_on_its_way_at_exit();

} // namespace mpiglut
