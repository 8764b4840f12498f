#!/bin/bash
# refused_shaders.sh VALIDATOR INCLUDES SOURCE: the shader compiles as it is, and with none of its mistakes.
validator=$1 includes=$2 source=$3
binary=$(mktemp) || exit 1
trap 'rm -f "$binary"' EXIT
compile() { "$validator" --target-env vulkan1.2 -DREFUSED="$1" -I"$includes" -o "$binary" "$source" 2>&1; }
status=0

if ! said=$(compile 0); then
    printf 'refused without a mistake:\n%s\n' "$said"
    status=1
fi
for mistake in 1:'syntax error' 2:'syntax error' 3:'syntax error' 4:'undeclared identifier'; do
    if said=$(compile "${mistake%%:*}"); then
        echo "mistake ${mistake%%:*} is compiled"
        status=1
    elif [[ $said != *"${mistake#*:}"* ]]; then
        printf 'mistake %s, expected "%s":\n%s\n' "${mistake%%:*}" "${mistake#*:}" "$said"
        status=1
    fi
done
exit $status
