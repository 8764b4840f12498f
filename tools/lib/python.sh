# What building the Python package and trying it share. Sourced by bash with `set -euo pipefail`.

# python_env FOLDER PYTHON WHEEL...: a virtual environment with these packages of PyPI, as wheels. Kept: packages that
# are there are not asked for again.
python_env() {
    local folder=$1 python=$2
    shift 2
    [ "$(cat "$folder/ready" 2>/dev/null)" != "$*" ] || return 0
    rm -rf "$folder"
    "$python" -m venv "$folder" || { echo "$python makes no virtual environments (Debian: python3-venv)"; return 1; }
    timeout 120 "$folder/bin/pip" -q --disable-pip-version-check --timeout 15 --retries 1 install --only-binary :all: "$@" \
        </dev/null || { echo "no wheels: PyPI is out of reach"; return 1; }
    echo "$*" >"$folder/ready"
}

has_python_header() { # has_python_header PYTHON
    [ -e "$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] ||
        { echo "no Python.h for $1 (Debian: python3-dev)"; return 1; }
}

# mpi4py_finds MPI LIBRARY FOLDER: mpi4py's wheel takes the MPI that LIBRARY is linked with. It looks for MPICH by the
# name that MPICH's own builds have; Debian's has another one, so the folder gets a link.
mpi4py_finds() {
    local library
    mkdir -p "$3"
    export LD_LIBRARY_PATH=$3${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} MPI4PY_MPIABI=$1
    [ "$1" = mpich ] || return 0
    library=$(ldd "$2" | sed -n 's/.*libmpich.so.12 => \([^ ]*\).*/\1/p')
    [ -z "$library" ] || ln -sfn "$library" "$3/libmpi.so.12"
}
