# What the tests of shell tools say "ok" and "FAILED" with; sourced. They set `work`, a folder, and exit with `failed`.
set -uo pipefail
failed=0
unset CDPATH
export LC_ALL=C

check() { # check WHAT command...
    local what=$1
    shift
    if "$@" >"$work/said" 2>&1; then echo "ok $what"; else
        printf 'FAILED %s\n' "$what"
        sed 's/^/    /' "$work/said"
        failed=1
    fi
}
refuses() { # refuses TEXT command...: with one line, which has the text
    local text=$1 said
    shift
    said=$("$@" 2>&1 >/dev/null) && { echo "was accepted"; return 1; }
    [ "$(grep -c . <<<"$said")" = 1 ] && grep -qF -- "$text" <<<"$said" || { echo "said: $said"; return 1; }
}
