/* A program to be run by mpiglutrun: subject [mpi] ACTION [RANK]. The rank named (default: every one) does the action,
   the others wait. With `mpi`, all of that happens between MPI_Init and MPI_Finalize, after a barrier. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank_from_environment(void) {
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    if (!text)
        text = getenv("PMI_RANK");
    return text ? atoi(text) : -1;
}

static void wait_for_ever(void) {
    for (;;)
        pause();
}

static void act(const char *action) {
    if (!strncmp(action, "exit=", 5))
        exit(atoi(action + 5));
    if (!strcmp(action, "abort"))
        abort();
    if (!strcmp(action, "crash")) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer's runtime would make an exit of it */
        raise(SIGSEGV);
    }
    if (!strcmp(action, "deaf")) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
    }
    if (!strcmp(action, "descend") && fork() == 0) { /* a child that hides from its parent's group and session */
        setsid();
        if (fork() == 0)
            wait_for_ever();
        wait_for_ever();
    }
}

int main(int argc, char **argv) {
    int mpi = argc > 1 && !strcmp(argv[1], "mpi");
    char **rest = argv + 1 + mpi;
    int rank = rank_from_environment();
    if (mpi) {
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    const char *action = rest[0] ? rest[0] : "wait";
    if (rest[0] && rest[1] && atoi(rest[1]) != rank)
        action = "wait";
    if (strcmp(action, "finalize"))
        act(action);
    printf("up %d\n", rank);
    fflush(stdout);
    if (!strcmp(action, "finalize")) {
        if (mpi)
            MPI_Finalize();
        return 0;
    }
    wait_for_ever();
}
