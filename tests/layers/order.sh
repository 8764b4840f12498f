#!/bin/bash
# The folders of core/src are its layers: each includes what stands below it.  order.sh SOURCE_DIR
set -u
cd "${1:?the source folder}/core/src" || exit 1
below='' failed=0
for layer in base combine region codec memory host file route request collective composite endpoint api; do
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
# A build may be without endpoint/ (PIXMPI_DEVICE=OFF): what includes it is left out, too.
cd ../.. || exit 1
if grep -rHnE '^ *# *include *"(endpoint/|api/endpoint)' core/src/api glmpi/src vkmpi/src |
    grep -vE '^[^:]*/(endpoints?|endpoint_call|running|verbs_device|window_copies)[.](h|cpp):'; then
    echo "^ is part of a build without endpoint/"
    failed=1
fi
exit $failed
