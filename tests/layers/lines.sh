#!/bin/bash
# Lines of documents and public headers end by column 120, rows of Markdown tables aside.  lines.sh SOURCE_DIR
set -u
cd "${1:?the source folder}" || exit 1
export LC_ALL=C.UTF-8 # columns are characters
mapfile -t documents < <(find *.md docs -name '*.md')
mapfile -t headers < <(find */include */icet/include -name '*.h')
[ ${#documents[@]} -gt 5 ] && [ ${#headers[@]} -gt 3 ] || { echo "documents or headers are not where they were"; exit 1; }
# A row of a table begins and ends with a bar.
long=$(grep -nHE '^.{121}' "${documents[@]}" "${headers[@]}" | grep -vE '^[^:]*\.md:[0-9]+: *\|.*\|$')
[ -z "$long" ] || { printf '%s\n^ longer than 120 columns\n' "$long"; exit 1; }
