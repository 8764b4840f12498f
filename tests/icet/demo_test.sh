#!/bin/bash
# The demo for IceT draws the same image with any number of ranks, and says what it wants.
#   demo_test.sh MPIEXEC ICETBALLS
set -u
mpiexec=$1 demo=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for ranks in 1 3 5; do
    timeout 60 "$mpiexec" -n $ranks "$demo" "$folder/$ranks.ppm" || { echo "FAILED with $ranks ranks"; exit 1; }
done
[ "$(head -c 15 "$folder/1.ppm" | tr '\n' ' ')" = "P6 640 480 255 " ] || { echo "FAILED the file's head"; exit 1; }
[ "$(stat -c %s "$folder/1.ppm")" = 921615 ] || { echo "FAILED the file's size"; exit 1; }
[ "$(od -An -tu1 -j15 -w3 -v "$folder/1.ppm" | sort -u | wc -l)" -gt 100 ] || { echo "FAILED few colours"; exit 1; }
cmp "$folder/1.ppm" "$folder/3.ppm" && cmp "$folder/1.ppm" "$folder/5.ppm" || { echo "FAILED images differ"; exit 1; }
timeout 60 "$mpiexec" -n 1 "$demo" 2>"$folder/errors" && { echo "FAILED a call without a file"; exit 1; }
grep -q "^Usage: " "$folder/errors" || { echo "FAILED no usage"; exit 1; }
