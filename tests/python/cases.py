"""Runs the cases of a module under mpiexec: cases.py MODULE [NAME ...]. All ranks run the same cases in the same order;
the first that fails ends the job, so that no rank waits for one that is gone."""
import importlib
import sys
import time
import traceback
import unittest

from mpi4py import MPI

import pixmpi

comm = pixmpi.attach()
rank, size = comm.rank, comm.size
following, previous = (rank + 1) % size, (rank - 1) % size


class Case(unittest.TestCase):
    """With what cases need: equal arrays, and errors by their code."""
    note = ""  # which of a case's parts runs

    def equal(self, a, b):
        import numpy
        numpy.testing.assert_array_equal(a, b)

    def fails(self, code, call, *arguments, **options):
        with self.assertRaises(pixmpi.Error) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        return str(caught.exception)


class Result(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        comm.barrier()

    def addError(self, test, error):
        self._end(test, error)

    def addFailure(self, test, error):
        self._end(test, error)

    def _end(self, test, error):
        sys.stderr.write(f"rank {rank}: {test.id()} failed {test.note}\n" + "".join(traceback.format_exception(*error)))
        sys.stderr.flush()
        time.sleep(1)  # for what other ranks have to say
        MPI.COMM_WORLD.Abort(1)


def main():
    sys.modules["cases"] = sys.modules["__main__"]
    module = importlib.import_module(sys.argv[1])
    loader = unittest.TestLoader()
    suite = loader.loadTestsFromNames(sys.argv[2:], module) if sys.argv[2:] else loader.loadTestsFromModule(module)
    count = suite.countTestCases()
    if count == 0:
        sys.exit("no cases")
    stream = sys.stderr if rank == 0 else open("/dev/null", "w", encoding="utf-8")
    result = unittest.TextTestRunner(stream, resultclass=Result, verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}")
    comm.barrier()
    print(f"rank {rank}: {count - len(result.skipped)} of {count} cases passed", flush=True)


if __name__ == "__main__":
    main()
