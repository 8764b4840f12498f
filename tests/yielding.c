/* MPICH's calls that wait spin without a pause. Where ranks outnumber cores, one that waits then keeps the core from the
 * one that it waits for until the system intervenes. Preloaded, this library gives the core away when nothing has come for
 * a while, as Open MPI does by itself (mpi_yield_when_idle). All these calls turn in one function of UCX. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker) {
    static unsigned (*progress)(void *);
    static __thread int idle;
    if (!progress)
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned events = progress(worker);
    if (events) {
        idle = 0;
    } else if (++idle == 1000) {
        idle = 0;
        sched_yield();
    }
    return events;
}
