#!/bin/bash
# Which folder may include what.  includes.sh SOURCE_DIR
set -u
cd "${1:?the source folder}" || exit 1
failed=0
graphics='GL/|GLES|EGL/|KHR/|epoxy/|glad/|vulkan/|X11/|GLFW/'
# forbid WHAT REGEX FILES...: prints the lines that break the rule. FILES are files and folders.
forbid() {
    local what=$1 regex=$2
    shift 2
    local files
    files=$(find "$@" -name '*.[ch]' -o -name '*.[ch]pp' 2>/dev/null)
    [ -n "$files" ] || { echo "no files in: $*"; failed=1; return; }
    if grep -HnE "^ *# *include *[<\"]($regex)" $files; then
        echo "^ $what"
        failed=1
    fi
}
# all_but REGEX FOLDER...: the sources of the folders whose path does not match.
all_but() {
    local regex=$1
    shift
    find "$@" \( -name '*.[ch]' -o -name '*.[ch]pp' \) | grep -vE "$regex"
}

forbid "core knows no graphics API and no window system" "$graphics" core
forbid "MPI is reached through route_mpi, channel and the public headers" 'mpi\.h' \
    $(all_but '^core/(icet/include/|include/|src/(route/(route_mpi|mpi_)|request/channel)[^/]*$)' core)
forbid "waiting and walls are for programs without messages, too" '(pix)?mpi\.h|(api|region|device|stage|process|gpu|coding|shadow|route|request|host)/|base/[^w]' \
    core/src/base/wait.h core/src/base/wait.cpp mpiglut/wall
forbid "one codec file includes the JPEG library's headers, one LZ4's" 'turbojpeg|jpeglib|jerror|jmorecfg|lz4[a-z]*\.h' \
    $(all_but '^core/src/codec/(jpeg_library\.h|lz4_stream\.cpp)$' core)
forbid "one file includes liburing's headers, one libtiff's" 'liburing|tiff[a-z]*\.h' \
    $(all_but '^core/src/file/(uring_queue\.cpp|tiff_library\.h)$' core)
forbid "JPEG's code alone sees its library" 'codec/jpeg_library' $(all_but '^core/src/codec/jpeg_(encode|decode|tables)\.cpp$' core)

# glmpi calls GL through pointers that one file finds; only its header needs the GL's declarations.
forbid "the GL device knows no window system, what makes contexts without a window aside, and leaves MPI to the core" \
    'X11/|EGL/|GL/glx|GLFW/|vulkan/|mpi\.h' $(all_but '^glmpi/(include/|src/context/egl_)' glmpi)
declares=$(grep -rlE '^ *# *include *<(GL|GLES[0-9]*|KHR|epoxy|glad)/' glmpi/src | sort -u)
[ "$(wc -w <<<"$declares")" -le 1 ] || { echo "one file of glmpi includes GL headers, the rest includes that: $declares"; failed=1; }
forbid "the public headers are for any loader" "$graphics" core/include glmpi/include core/icet/include
forbid "IceT's interface is a user of the public headers" '(api|region|device|stage|process|gpu|coding|shadow|route|request|host|base|composite|collective)/' \
    core/icet glmpi/icet

# vkmpi knows Vulkan's headers alone, and calls it through pointers that one file finds; its header declares Vulkan's types.
forbid "the Vulkan device knows no other API, no window system, and leaves MPI to the core" \
    'X11/|EGL/|GL/|KHR/|GLFW/|mpi\.h' vkmpi
others=$(grep -rlE '^ *# *include *<vulkan/' vkmpi/src | grep -v '/vk\.h$')
[ -z "$others" ] || { echo "only vk.h includes Vulkan's headers, without prototypes: $others"; failed=1; }
grep -q '^#define VK_NO_PROTOTYPES' vkmpi/src/context/vk.h || { echo "vkmpi/src/context/vk.h: Vulkan's prototypes would need its loader"; failed=1; }
forbid "Vulkan is vkmpi's" 'vulkan/' core glmpi mpiglut

forbid "the CUDA device knows no other API, and leaves MPI to the core" 'X11/|EGL/|GL/|KHR/|GLFW/|vulkan/|mpi\.h' cudampi
forbid "CUDA's headers are nobody's: its driver is a table of the core" '(cuda|cuda_[a-z_]+|nvrtc|driver_types)\.h' \
    $(all_but '/gpu/' core) glmpi vkmpi
others=$(grep -rnE '^ *# *include *<(cuda|nv)' core cudampi --include='*.h' --include='*.cpp' | grep -v '<cudampi')
[ -z "$others" ] || { echo "$others"; echo "^ a header of CUDA's toolkit, which nobody needs"; failed=1; }

forbid "the launcher starts MPI programs, it is none" 'mpi\.h' mpiglut/launcher
forbid "what runs before and after the wall knows no GL and no MPI" 'GL/|X11/|mpi\.h' mpiglut/src/run mpiglut/src/clock mpiglut/src/files
forbid "the GL layer stands below the model of windows" '(model|system)/' mpiglut/src/gl
forbid "the model of windows knows no toolkit and no display" 'GL/(glx|glut|freeglut|mpiglut)|X11/|system/' mpiglut/src/model
forbid "what belongs to GLX knows no toolkit" 'GL/(glut|freeglut|mpiglut)|system/glut' mpiglut/src/system/glx
forbid "windows are below the window systems" 'system/' $(all_but '^mpiglut/src/system/' mpiglut/src)
toolkit=$(grep -rnE 'REAL\(glut' mpiglut/src | grep -v '^mpiglut/src/system/glut/')
[ -z "$toolkit" ] || { echo "$toolkit"; echo "^ FreeGLUT is called in system/glut alone"; failed=1; }
forbid "the model of windows talks to other ranks through sync/comm.h" 'mpi\.h' mpiglut/src/model mpiglut/src/system \
    mpiglut/src/gl mpiglut/src/base
others=$(grep -lE '^ *# *include *<mpi\.h>' mpiglut/src/sync/* | grep -v '/transport\.cpp$')
[ -z "$others" ] || { echo "only sync/transport.cpp includes mpi.h: $others"; failed=1; }
forbid "one file of the library includes OpenSSL's headers, and loads it where a wall has several hosts" 'openssl/' \
    $(all_but '^mpiglut/src/sync/seal\.cpp$' mpiglut/src)
exit $failed
