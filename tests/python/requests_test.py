"""What becomes of requests: awaited, dropped, interrupted, and of arrays that the program frees early."""
import asyncio
import gc
import os
import resource
import signal
import threading
import time

import numpy as np
import pixmpi
from cases import Case, comm, following, previous, rank, size

LARGE = (512, 512, 4)  # above the eager size: 1 MiB


def large(of):
    return np.full(LARGE, of + 1, "u1")


class Awaited(Case):
    def test_other_tasks_run_meanwhile(self):
        async def main():
            turns = 0

            async def count():
                nonlocal turns
                while not done:
                    turns += 1
                    await asyncio.sleep(0)

            done = False
            target = np.zeros(LARGE, "u1")
            receive = comm.irecv(target, previous)
            counting = asyncio.ensure_future(count())
            await asyncio.sleep(0.02)
            send = comm.isend(large(rank), following)
            status = await receive
            await send
            done = True
            await counting
            self.assertGreater(turns, 10)
            self.assertEqual(status.source, previous)
            self.equal(target, large(previous))

        asyncio.run(main())

    def test_many_at_once(self):
        async def main():
            targets = [np.zeros(LARGE, "u1") for _ in range(4)]
            receives = [comm.irecv(target, previous, tag) for tag, target in enumerate(targets)]
            sends = [comm.isend(large(rank + tag), following, tag) for tag in range(4)]

            async def one(request):
                return await request

            await asyncio.gather(*map(one, receives + sends))
            for tag, target in enumerate(targets):
                self.equal(target, large(previous + tag))

        asyncio.run(main())


class Waiting(Case):
    def test_with_a_limit(self):
        target = np.zeros(LARGE, "u1")
        request = comm.irecv(target, previous, 9)
        self.assertIsNone(request.wait(0.01))
        self.assertIsNone(request.test())
        comm.barrier()
        send = comm.isend(large(rank), following, 9)
        self.assertIsNotNone(request.wait())
        send.wait()
        self.equal(target, large(previous))

    def test_any_of_several(self):
        late, soon = np.zeros(4, "u1"), np.zeros(4, "u1")
        requests = [comm.irecv(late, previous, 1), comm.irecv(soon, previous, 2)]
        comm.send(np.full(4, 2, "u1"), following, 2)
        self.assertEqual(pixmpi.waitany(requests)[0], 1)
        comm.barrier()
        comm.send(np.full(4, 1, "u1"), following, 1)
        self.assertEqual(requests[0].wait().tag, 1)

    def test_cancelled(self):
        request = comm.irecv(np.zeros(4, "u1"), previous, 33)
        request.cancel()
        self.assertTrue(request.wait().cancelled)

    def test_other_threads_run_meanwhile(self):
        seen = []
        target = np.zeros(4, "u1")
        request = comm.irecv(target, rank, 3)

        def sender():
            time.sleep(0.05)
            seen.append(1)
            comm.send(np.full(4, 7, "u1"), rank, 3)

        thread = threading.Thread(target=sender)
        thread.start()
        request.wait()
        thread.join()
        self.assertEqual((seen, list(target)), ([1], [7] * 4))

    def test_interrupted(self):
        target = np.zeros(LARGE, "u1")
        request = comm.irecv(target, previous, 4)
        with self.assertRaises(KeyboardInterrupt):
            threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            request.wait()
            time.sleep(5)  # the signal may come just after
        comm.barrier()
        send = comm.isend(large(rank), following, 4)
        request.wait()
        send.wait()
        self.equal(target, large(previous))

    def test_interrupted_in_a_verb_that_waits(self):
        with self.assertRaises(KeyboardInterrupt):
            threading.Timer(2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()  # not before the receive has begun
            comm.recv(np.zeros(LARGE, "u1"), previous, 6)
        comm.barrier()
        before = pixmpi._pixmpi.dropped_requests()
        self.assertGreaterEqual(before, 1)  # the receive goes on, and its array lives
        comm.barrier()
        comm.send(large(rank), following, 6)
        self.until(lambda: pixmpi._pixmpi.dropped_requests() < before)

    def until(self, condition):
        limit = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), limit)
            pixmpi.progress()


class Lifetimes(Case):
    def test_arrays_that_are_freed_early(self):
        target = np.zeros(LARGE, "u1")
        request = comm.isend(large(rank), following, 11)
        gc.collect()
        trash = [np.full(LARGE, 99, "u1") for _ in range(4)]
        comm.recv(target, previous, 11)
        request.wait()
        self.equal(target, large(previous))
        del trash

    def test_requests_that_are_dropped(self):
        target = np.zeros(LARGE, "u1")
        comm.isend(large(rank), following, 12)
        comm.irecv(target, previous, 12)
        gc.collect()
        Waiting.until(self, lambda: pixmpi._pixmpi.dropped_requests() == 0)
        self.equal(target, large(previous))

    def test_ten_thousand_messages_leak_nothing(self):
        a, b = np.zeros((8, 8, 4), "u1"), np.zeros((8, 8, 4), "u1")

        def messages(count):
            for _ in range(count):
                comm.sendrecv(a, following, b, previous, sendregion=(0, 0, 4, 4), recvregion=(1, 1, 4, 4))

        messages(1000)
        gc.collect()
        objects, memory = len(gc.get_objects()), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        messages(10000)
        gc.collect()
        self.assertLess(len(gc.get_objects()) - objects, 50)
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory, 4096)  # KiB
        self.assertEqual(pixmpi._pixmpi.dropped_requests(), 0)
