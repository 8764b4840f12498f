#!/bin/bash
# All variables of the environment are in one table, core/src/base/variables.h, and the reference page is what
# pixmpi_info prints of that table.  variables.sh SOURCE_DIR PIXMPI_INFO
set -u
cd "${1:?the source folder}" || exit 1
info=${2:?pixmpi_info}
failed=0 seen=0
table=core/src/base/variables.h page=docs/reference/environment.md

# What the code reads by name. Names that processes of a run tell each other are not for people.
private='MPIGLUT_(RUN|RUN_MARK|CONTROL|SECRET|SECRET_FILE|SSH|PATH)'
while IFS= read -r name; do
    seen=$((seen + 1))
    grep -q "\"$name\"" $table || { echo "$name is read, and is not in $table"; failed=1; }
done < <(grep -rhoE '(getenv|read_[a-z_]*|value_of)\("(PIXMPI|MPIGLUT)_[A-Z_]+"' core glmpi vkmpi mpiglut --include=*.cpp --include=*.h |
    grep -oE '(PIXMPI|MPIGLUT)_[A-Z_]+' | grep -vxE "$private" | sort -u)
[ "$seen" -gt 25 ] || { echo "found $seen variables in the code, expected more than 25"; failed=1; }

# And what the table has is read somewhere.
for name in $(grep -oE '"(PIXMPI|MPIGLUT)_[A-Z_]+"' $table | tr -d '"'); do
    grep -rqF "\"$name\"" core glmpi vkmpi mpiglut --include=*.cpp --include=*.h --exclude=variables.h ||
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
done < <(grep -E '^\| `(PIXMPI|MPIGLUT)_[A-Z_]+` \|' $page)
exit $failed
