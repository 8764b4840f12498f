#!/bin/bash
# Pages of reference say what the code says. All variables of the environment are in one table, core/src/base/variables.h,
# and their page is what pixmpi_info prints of it. The page of wall files has all keys, and walltool takes its examples.
#   reference.sh SOURCE_DIR PIXMPI_INFO WALLTOOL
set -u
cd "${1:?the source folder}" || exit 1
info=${2:?pixmpi_info} walltool=${3:?walltool}
failed=0 seen=0
table=core/src/base/variables.h page=docs/reference/environment.md

# What the code reads by name. Names that processes of a run tell each other are not for people.
private='MPIGLUT_(RUN|RUN_MARK|CONTROL|SECRET|SECRET_FILE|SSH|PATH)'
while IFS= read -r name; do
    seen=$((seen + 1))
    grep -q "\"$name\"" $table || { echo "$name is read, and is not in $table"; failed=1; }
done < <(grep -rhoE '(getenv|read_[a-z_]*|value_of)\("(PIXMPI|MPIGLUT)_[A-Z_]+"' core glmpi vkmpi cudampi mpiglut --include=*.cpp --include=*.h |
    grep -oE '(PIXMPI|MPIGLUT)_[A-Z_]+' | grep -vxE "$private" | sort -u)
[ "$seen" -gt 25 ] || { echo "found $seen variables in the code, expected more than 25"; failed=1; }

# And what the table has is read somewhere.
for name in $(grep -oE '"(PIXMPI|MPIGLUT|WALL)_[A-Z_]+"' $table | tr -d '"'); do
    grep -rqF "\"$name\"" core glmpi vkmpi cudampi mpiglut --exclude=variables.h ||
        { echo "$name is in $table, and nothing reads it"; failed=1; }
done

printed=$("$info" --variables 2>/dev/null) || { echo "$info --variables fails"; exit 1; }
rows=$(grep -c '^| `' <<<"$printed")
[ "$rows" -gt 25 ] || { echo "$info --variables prints $rows rows"; failed=1; }
while IFS= read -r line; do
    [ -z "$line" ] || grep -qxF -- "$line" $page || { echo "$page lacks: $line"; failed=1; }
done <<<"$printed"
while IFS= read -r line; do
    grep -qxF -- "$line" <<<"$printed" || { echo "$page has, and pixmpi_info --variables has not: $line"; failed=1; }
done < <(grep -E '^\| `(PIXMPI|MPIGLUT|WALL)_[A-Z_]+` \|' $page)

# Keys of wall files that the code reads by name.
keys=$(grep -ohE 'reader\.[a-z]+\("[a-z_]+"' mpiglut/wall/toml.cpp | grep -oE '"[a-z_]+"' | tr -d '"' | sort -u)
[ "$(wc -w <<<"$keys")" -gt 15 ] || { echo "found the keys $keys of wall files, expected more than 15"; failed=1; }
for key in $keys; do
    grep -qE "^\|.*\`\[*$key\]*\`.*\|" docs/reference/wall-file.md || { echo "docs/reference/wall-file.md lacks the key $key"; failed=1; }
done

# A block that begins with a line of TOML is an example; one that begins with [[tile]] changes the one before.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for page in docs/reference/wall-file.md docs/howto/six-monitors.md; do
    awk -v folder="$work" -v page="$(basename $page .md)" '
        !/^    / && NF { open = 0; next }
        /^    (unit =|\[grid\])/ && !open { ++count; open = 1; file = folder "/" page "-" count ".toml" }
        /^    \[\[tile\]\]/ && !open && count { open = 1 }
        open { print substr($0, 5) >> file }' $page
done
count=0
for file in "$work"/*.toml; do
    count=$((count + 1))
    said=$("$walltool" check "$file" 2>&1) || { echo "an example of ${file##*/}: $said"; cat "$file"; failed=1; }
done
[ "$count" -ge 4 ] || { echo "found $count examples of wall files, expected 4 or more"; failed=1; }
exit $failed
