#!/bin/bash
# Builds the Python package by pip, against the installed libraries, and runs its cases, its examples as cells of
# notebooks, one of them as a program, and the check of its type stubs.
#   package_test.sh SOURCE BUILD WORK CMAKE PYTHON MPIEXEC MPICC MPI
set -euo pipefail
source=$1 build=$2 work=$3 cmake=$4 python=$5 mpiexec=$6 mpicc=$7 mpi=$8
here=$(cd "$(dirname "$0")" && pwd)
. "$source/tools/lib/python.sh"
mkdir -p "$work"
cd "$work"

skip() { echo "skipped: $*"; exit 77; }

venv=$work/venv
why=$(python_env "$venv" "$python" nanobind scikit-build-core numpy mpi4py moderngl vulkan pyglet && has_python_header "$python") ||
    skip "$why"
mpi4py_finds "$mpi" "$build/lib/libpixmpi.so" "$work/lib"

"$cmake" --install "$build" --prefix "$work/installed" >/dev/null
PATH=$venv/bin:$PATH "$venv/bin/pip" -q --disable-pip-version-check install --no-build-isolation --no-deps --force-reinstall \
    -C cmake.define.pixmpi_DIR="$work/installed/lib/cmake/pixmpi" -C cmake.define.MPI_C_COMPILER="$mpicc" \
    -C build-dir="$work/build" "$source/python" </dev/null

cd "$here"
export PYTHONDONTWRITEBYTECODE=1
run() { # run RANKS SCRIPT...
    local ranks=$1
    shift
    timeout 120 "$mpiexec" -n "$ranks" "$venv/bin/python" "$@" </dev/null || { echo "failed: $ranks ranks of $*"; exit 1; }
}
for ranks in 3 1; do
    for cases in surfaces verbs requests; do
        run $ranks cases.py ${cases}_test
    done
done
if [ -d "$build/tests/cuda/lib" ]; then # a stand-in for CUDA's driver; without it the build has no cudampi
    for ranks in 3 1; do
        LD_LIBRARY_PATH=$build/tests/cuda/lib:$LD_LIBRARY_PATH PIXMPI_TEST_GPUS=2 run $ranks cases.py cuda_test
    done
fi
"$venv/bin/python" "$source/python/notebooks.py" "$work/notebooks"
run 4 "$source/python/examples/halo.py" "$work"
for example in "$source"/python/examples/*.py; do # the cells have all of its code
    run 4 cells.py "$work/notebooks/$(basename "$example" .py).ipynb" "$work"
done
said=$(cd "$source/python" && "$venv/bin/python" -c 'import pixmpi' 2>&1) && { echo "the sources are imported"; exit 1; }
[[ $said == *"has the sources of pixmpi"* ]] || { echo "the folder of the sources: $said"; exit 1; }
"$venv/bin/python" stubs.py
