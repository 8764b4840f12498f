#!/bin/bash
# Lines of documents and public headers end by column 120, rows of Markdown tables aside, and tables are tables: no line
# of text has the bars of a row, and the rows of a table have as many cells as its head.  lines.sh SOURCE_DIR
set -u
cd "${1:?the source folder}" || exit 1
export LC_ALL=C.UTF-8 # columns are characters
mapfile -t documents < <(find *.md docs demos -name '*.md')
mapfile -t headers < <(find */include */icet/include -name '*.h')
[ ${#documents[@]} -gt 5 ] && [ ${#headers[@]} -gt 3 ] || { echo "documents or headers are not where they were"; exit 1; }
# A row of a table begins and ends with a bar.
long=$(grep -nHE '^.{121}' "${documents[@]}" "${headers[@]}" | grep -vE '^[^:]*\.md:[0-9]+: *\|.*\|$')
[ -z "$long" ] || { printf '%s\n^ longer than 120 columns\n' "$long"; exit 1; }

awk '
    function cells(line) { gsub(/`[^`]*`/, "", line); gsub(/\\\|/, "", line); return gsub(/\|/, "", line) }
    function wrong(what) { print FILENAME ":" FNR ": " what ": " substr($0, 1, 70); failed = 1 }
    FNR == 1 { code = 0; columns = 0 }
    /^ *```/ { code = !code }
    code || /^    / { columns = 0; next }
    /^ *\|/ {
        if (!columns) columns = cells($0)
        else if (cells($0) != columns) wrong("a row with another number of cells than its head")
        next
    }
    { columns = 0; if (cells($0) > 2) wrong("the bars of a table in a line of text") }
    END { exit failed }' "${documents[@]}"
