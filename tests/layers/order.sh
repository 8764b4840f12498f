#!/bin/bash
# The folders of core/src are its layers: each includes what stands below it.  order.sh SOURCE_DIR
set -u
source=${1:?the source folder}
cd "$source/core/src" || exit 1
below='' failed=0
for layer in base combine region codec device stage process gpu coding shadow host file route request collective composite endpoint api; do
    below+=${below:+|}$layer
    [ -d "$layer" ] || { echo "core/src has no folder $layer"; failed=1; continue; }
    if grep -rHnE '^ *# *include *"[a-z]+/' "$layer" | grep -vE "include *\"($below)/"; then
        echo "^ above $layer, or in no layer"
        failed=1
    fi
done
for entry in *; do
    [[ $entry =~ ^($below)$ ]] || { echo "core/src/$entry: in no layer"; failed=1; }
done

# The device libraries have the same rooms. Their headers include what stands below; a source may use the device, which
# holds one of each thing, and the device's makes surfaces and transfers.
declare -A rooms=([glmpi]='context object plan shader device surface transfer endpoint verbs'
    [cudampi]='context object kernel device surface transfer verbs')
rooms[vkmpi]=${rooms[glmpi]}
for library in glmpi vkmpi cudampi; do
    cd "$source/$library/src" || exit 1
    below=''
    for room in ${rooms[$library]}; do
        below+=${below:+|}$room
        [ -d "$room" ] || { echo "$library/src has no folder $room"; failed=1; continue; }
        for file in "$room"/*.h; do # verbs has none
            while read -r path; do
                # What the library has not is the core's.
                [ ! -f "$path" ] || [[ $path =~ ^($below)/ ]] || { echo "$library/src/$file: $path is above it"; failed=1; }
            done < <(sed -nE 's,^ *# *include *"([^"]*)".*,\1,p' "$file" 2>/dev/null)
        done
    done
    for entry in *; do
        [[ $entry =~ ^($below)$ ]] || { echo "$library/src/$entry: in no room"; failed=1; }
    done
done
# The wall's GL layer: its headers include what stands below, too.
cd "$source/mpiglut/src/gl" || exit 1
below=''
for room in context coordinates pixel shader value draw present; do
    below+=${below:+|}$room
    [ -d "$room" ] || { echo "mpiglut/src/gl has no folder $room"; failed=1; continue; }
    if grep -HnE '^ *# *include *"gl/' "$room"/*.h | grep -vE "include *\"gl/($below)/"; then
        echo "^ above mpiglut/src/gl/$room"
        failed=1
    fi
done
for entry in */; do
    [[ $entry =~ ^($below)/$ ]] || { echo "mpiglut/src/gl/$entry: in no room"; failed=1; }
done
# A build may be without endpoint/ (PIXMPI_DEVICE=OFF): what includes it is left out, too.
cd "$source" || exit 1
if grep -rHnE '^ *# *include *"(endpoint/|api/endpoint)' core/src/api glmpi/src vkmpi/src cudampi/src |
    grep -vE '^[^:]*/(endpoints|endpoint_call|verbs_device)[.](h|cpp):|/src/endpoint/'; then
    echo "^ is part of a build without endpoint/"
    failed=1
fi
exit $failed
