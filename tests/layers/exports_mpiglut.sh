#!/bin/bash
# The dynamic symbols of libmpiglut: GL, GLX, EGL, GLUT, mpiglut, and the handful of others that it has to interpose; no MPI,
# and nothing of the C++ library's that a program might bind to by accident. What its objects
# mean to export is there: mpiglut/exports.map leaves nothing out.  exports_mpiglut.sh LIBRARY [OBJECT...]
set -u
names=$(nm -D --defined-only "${1:?the library}" | awk '{print $3}') || exit 1
[ -n "$names" ] || { echo "no symbols in $1"; exit 1; }
for must in glutInit glutMainLoop glViewport glXMakeCurrent mpiglutAgree dlsym XNextEvent; do
    grep -qx "$must" <<<"$names" || { echo "missing: $must"; exit 1; }
done
clock='time|gettimeofday|clock_gettime|clock|times|ftime|timespec_get|getrusage'
sleeps='sleep|usleep|nanosleep|clock_nanosleep|thrd_sleep|p?select|p?poll|__p?poll_chk|epoll_(ctl|wait|pwait2?)'
sleeps+='|(pthread_(cond|mutex|rwlock)|sem|cnd|mtx)_(timed|clock)(wait|(rd|wr)?lock)|pthread_(timed|clock)join_np'
sleeps+='|mq_timed(send|receive)|timer_(create|settime|delete)|timerfd_settime'
identity='syscall|get(pp|p|t)id|(tg)?kill|getrandom|getentropy|arc4random(_buf|_uniform)?'
identity+='|getauxval|pidfd_open|[gs]etpgid|getsid|[gs]etpriority|prlimit(64)?|sched_[gs]et(affinity|scheduler|param)'
identity+='|sysconf|get_nprocs|gethostname|__gethostname_chk|uname'
files='(__)?(f?open(at)?|creat|freopen|mko?stemps?|l?stat|fstatat|[lf]?xstat(at)?|truncate)(64)?(_2)?|(fd)?opendir|readdir(64)?|rewinddir|closedir|mkdtemp|(sym)?link(at)?'
files+='|rename(at2?)?|unlink(at)?|remove|rmdir|mkdir(at)?|f?chmod(at)?|utime(s|nsat)?|statx|(euid|e|f)?access(at)?'
files+='|(__)?(readlink|realpath)(at|_chk)?|chdir|getcwd|bind|mk(fifo|nod)(at)?|flock|(lockf|fcntl)(64)?|shm_(open|unlink)|sem_(open|close|unlink)'
children='posix_openpt|getpt|openpty|forkpty|system|p(open|close)|posix_spawn(p|_file_actions_adddup2)?|v?fork|f?exec(ve|vpe?|v|lp?|le)|wait(id|pid|3|4)?|read|__read_chk|fdopen|(__)?recv(from|msg)?(_chk)?'
sockets='connect|close|dup[23]?|readv|writev?|send(to|msg)?|ioctl|get(sock|peer)name|pthread_(create|join|cond_broadcast)|thrd_create|xcb_disconnect|vk(CreateInstance|GetInstanceProcAddr)'
sockets+='|socket(pair)?|accept4?|pipe2?|eventfd|timerfd_create|signalfd|inotify_init1?|epoll_create1?'
locks='pthread_(mutex_(init|(try)?lock)|(cond|barrier)_wait|rwlock_(try)?(rd|wr)lock|spin_(try)?lock)|mtx_(try)?lock|cnd_wait|sem_(try)?wait'
memory='(m|c|re)alloc|reallocarray|free|malloc_usable_size|_Zn[wa]m(RKSt9nothrow_t)?|_Zd[la]Pv(m|RKSt9nothrow_t)?'
cpp='_ZN.*(steady_clock3nowEv|system_clock3nowEv|__sleep_for.*|random_device(9_M_getvalEv|clEv))'
if grep -vE "^(gl[A-Z].*|egl[A-Z].*|glut[A-Z].*|mpiglut[A-Z].*|X(NextEvent|OpenDisplay|CreateWindow)|XGet(Geometry|WindowAttributes)|XQueryPointer|XTranslateCoordinates|dlsym|(_|quick_)?exit|_Exit|$clock|$sleeps|$identity|$files|$children|$sockets|$locks|$memory|$cpp)$" <<<"$names"; then
    echo "^ not to be exported"
    exit 1
fi
library=$1
shift
[ $# -eq 0 ] && exit 0
meant=$(printf '%s\n' "$@" | grep '\.o$' | xargs readelf -sW | awk '$4 == "FUNC" && $5 == "GLOBAL" && $6 == "DEFAULT" && $7 != "UND" {print $8}' | sort -u)
[ -n "$meant" ] || { echo "no functions in the objects"; exit 1; }
if comm -23 <(echo "$meant") <(sort -u <<<"$names") | grep .; then
    echo "^ in the sources, and not exported by $library: they belong into mpiglut/exports.map"
    exit 1
fi
