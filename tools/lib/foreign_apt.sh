# apt for another release than this machine's: which packages a bare system of it lacks, and their files. Nothing is
# installed, and this machine's own lists are left alone. Sourced after setup.sh.

# choose_release TARGET MIRROR: sets `sources`, apt's lines for it. MIRROR may be empty.
choose_release() {
    local key url security suite components=main
    case $1 in
        debian-12) suite=bookworm ;;
        debian-13) suite=trixie ;;
        ubuntu-24.04) suite=noble components='main universe' ;;
        *) fail "--target $1: unknown, expected debian-12, debian-13 or ubuntu-24.04" ;;
    esac
    case $1 in
        debian-*) key=debian url=http://deb.debian.org/debian security=http://deb.debian.org/debian-security ;;
        *) key=ubuntu url=http://archive.ubuntu.com/ubuntu security=$url ;;
    esac
    key=/usr/share/keyrings/$key-archive-keyring.gpg
    archive=${2:-$url}
    if [ "${archive#file:}" != "$archive" ]; then
        sources="deb [trusted=yes] copy:${archive#file:} $suite $components" # else apt leaves the files where they are
        return
    fi
    [ -f "$key" ] || fail "--target $1: $key is missing, which says whose packages these are (package ${key##*/keyrings/}, without .gpg, or ubuntu-keyring)"
    sources="deb [signed-by=$key] $archive $suite $components
deb [signed-by=$key] $archive $suite-updates $components"
    [ -n "$2" ] || sources+="
deb [signed-by=$key] $security $suite-security $components"
}

# foreign_apt_start FOLDER: fetches the lists.
foreign_apt_start() {
    apt_folder=$1
    mkdir -p "$apt_folder"/lists/partial "$apt_folder"/cache/archives/partial
    : >"$apt_folder/status"
    echo "$sources" >"$apt_folder/sources.list"
    local machine
    machine=$(dpkg --print-architecture)
    apt_options=(-q -q -oAPT::Architecture="$machine" -oAPT::Architectures="$machine" -oAPT::Sandbox::User=root
        -oDir::State::Lists="$apt_folder/lists" -oDir::State::status="$apt_folder/status"
        -oDir::Cache="$apt_folder/cache" -oDir::Etc::sourcelist="$apt_folder/sources.list"
        -oDir::Etc::sourceparts=/dev/null -oDir::Etc::preferencesparts=/dev/null -oDir::Etc::preferences=/dev/null
        -oAcquire::Retries=2 -oAcquire::http::Timeout=30 -oAPT::Update::Error-Mode=any
        -oAPT::Install-Recommends=false -oDebug::NoLocking=true)
    apt-get "${apt_options[@]}" update </dev/null >"$apt_folder/log" 2>&1 ||
        fail "$archive: this machine does not get the lists of packages there: $(grep -m 1 '^[EW]:' "$apt_folder/log")"
}

# foreign_apt_assume PACKAGE PRETENDED...: from now on the system has the essential packages and this one, with all that
# they need, and whatever depends on one of the others is told that it is there.
foreign_apt_assume() {
    local essential have package
    mapfile -t essential < <(apt-cache "${apt_options[@]}" dumpavail | awk '/^Package: /{name = $2} /^Essential: yes/{print name}')
    have=$(apt-get "${apt_options[@]}" install --print-uris "$1" "${essential[@]}" </dev/null | sed 's/^[^ ]* \([^_ ]*\)_.*/\1/')
    [ -n "$have" ] || fail "$archive: has no package $1"
    apt-cache "${apt_options[@]}" dumpavail | awk -v have="$have" '
        BEGIN { RS = ""; count = split(have, list, "\n"); for (i = 1; i <= count; ++i) there[list[i]] = 1 }
        $1 == "Package:" && $2 in there { print $0 "\nStatus: install ok installed\n" }' >"$apt_folder/status.new"
    shift
    for package; do
        grep -qxF "$package" <<<"$have" || printf '%s\n' "Package: $package" 'Status: install ok installed' 'Version: 99:0' \
            "Architecture: $(dpkg --print-architecture)" 'Multi-Arch: allowed' 'Maintainer: nobody' \
            'Provides: gfortran-mod-15, fortran-compiler' 'Description: not needed' '' >>"$apt_folder/status.new"
    done
    mv "$apt_folder/status.new" "$apt_folder/status"
}

# foreign_apt_download PACKAGE...: their files, and those of all that they need and the system has not, to
# cache/archives.
foreign_apt_download() {
    apt-get "${apt_options[@]}" install -y --download-only "$@" </dev/null >"$apt_folder/log" 2>&1 ||
        fail "$archive: $(grep -m 1 '^E:' "$apt_folder/log" || tail -n 1 "$apt_folder/log")"
}

foreign_apt_version() { apt-cache "${apt_options[@]}" show --no-all-versions "$1" | sed -n 's/^Version: //p'; }
