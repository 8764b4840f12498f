#!/bin/bash
# The folders of core/src are its layers: each includes what stands below it.  order.sh SOURCE_DIR
set -u
source=${1:?the source folder}
cd "$source/core/src" || exit 1
below='' failed=0
for layer in base combine region codec device stage process gpu coding shadow host file route request schedule collective composite endpoint api; do
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
# Rooms of the wall include what stands below them as well: of its GL layer and its model the headers, where a path begins
# with gl/ or model/, and of the launcher and its server all files.
# in_order FOLDER PATH FILES ROOM...: includes of PATH/room in FILES lead downwards, and no other folder is there.
in_order() {
    local folder=$1 path=$2 files=$3 all below='' room entry
    shift 3
    all=$(IFS='|'; echo "$*")
    cd "$source/$folder" || exit 1
    for room; do
        below+=${below:+|}$room
        [ -d "$room" ] || { echo "$folder has no folder $room"; failed=1; continue; }
        if grep -HnE "^ *# *include *\"$path($all)/" "$room"/$files | grep -vE "include *\"$path($below)/"; then
            echo "^ above $folder/$room"
            failed=1
        fi
    done
    for entry in */; do
        [[ $entry =~ ^($all)/$ ]] || { echo "$folder/$entry: in no room"; failed=1; }
    done
}
in_order mpiglut/src/gl gl/ '*.h' context coordinates pixel shader value draw present
in_order mpiglut/src/model model/ '*.h' window frame console loop
in_order mpiglut/launcher '' '*.[ch]*' child option link job program agent session
in_order mpiglut/walld '' '*.[ch]*' access web capture desk show calls page
# A build may be without endpoint/ (PIXMPI_DEVICE=OFF): what includes it is left out, too.
cd "$source" || exit 1
if grep -rHnE '^ *# *include *"(endpoint/|api/endpoint)' core/src/api glmpi/src vkmpi/src cudampi/src |
    grep -vE '^[^:]*/(endpoints|endpoint_call|verbs_device)[.](h|cpp):|/src/endpoint/'; then
    echo "^ is part of a build without endpoint/"
    failed=1
fi
# Two classes of one name would share their functions in every program that has both.
twice=$(grep -hoE '^(class|struct) [A-Z][A-Za-z]+( final)?( :.*)? \{' demos/common/*.h | awk '{ print $2 }' | sort | uniq -d)
[ -z "$twice" ] || { echo "demos/common has two classes of these names: $twice"; failed=1; }
exit $failed
