#!/bin/bash
# Builds the Python package by pip, against the installed libraries, and runs its cases, its examples and the check of its
# type stubs.
#   package_test.sh SOURCE BUILD WORK CMAKE PYTHON MPIEXEC MPICC MPI
set -euo pipefail
source=$1 build=$2 work=$3 cmake=$4 python=$5 mpiexec=$6 mpicc=$7 mpi=$8
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"
cd "$work"

skip() { echo "skipped: $*"; exit 77; }

# Wheels that are there already are not asked for again.
venv=$work/venv
if ! [ -e "$venv/ready" ]; then
    rm -rf "$venv"
    "$python" -m venv "$venv" || skip "python3 makes no virtual environments (Debian: python3-venv)"
    timeout 120 "$venv/bin/pip" -q --disable-pip-version-check --timeout 15 --retries 1 install --only-binary :all: \
        nanobind scikit-build-core numpy mpi4py moderngl vulkan </dev/null || skip "no wheels: PyPI is out of reach"
    touch "$venv/ready"
fi
[ -e "$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] ||
    skip "no Python.h (Debian: python3-dev)"

# mpi4py's wheel looks for MPICH by the name that MPICH's own builds have; Debian's has another one.
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} MPI4PY_MPIABI=$mpi
mkdir -p "$work/lib"
if [ "$mpi" = mpich ]; then
    library=$(ldd "$build/lib/libpixmpi.so" | sed -n 's/.*libmpich.so.12 => \([^ ]*\).*/\1/p')
    [ -z "$library" ] || ln -sfn "$library" "$work/lib/libmpi.so.12"
fi

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
for example in "$source"/python/examples/*.py; do
    run 4 "$example" "$work"
done
"$venv/bin/python" stubs.py
