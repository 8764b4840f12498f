#!/bin/bash
# The folders of core/src are its layers: each includes what stands below it.  order.sh SOURCE_DIR
set -u
cd "${1:?the source folder}/core/src" || exit 1
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
exit $failed
