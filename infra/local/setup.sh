#!/bin/sh
# Makes the virtual environment, unless it is there and holds what the requirements file asks for, and the projects
# beside that file: the Python client in clients/python/, and `kb`, the command line in cli/.
# usage: infra/local/setup.sh ENVIRONMENT REQUIREMENTS        (PYTHON=... chooses the interpreter)
set -eu

environment=$1
requirements=$2
folder=$(dirname "$requirements")
wanted=$(cat "$requirements" "$folder/clients/python/pyproject.toml" "$folder/cli/pyproject.toml" 2> /dev/null | cksum)
stamp="$environment/.requirements"

if [ -x "$environment/bin/python" ] && [ "$(cat "$stamp" 2> /dev/null)" = "$wanted" ]; then
    exit 0
fi

is_new_enough() {
    command -v "$1" > /dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null
}

if [ ! -x "$environment/bin/python" ]; then
    if [ -z "${PYTHON:-}" ]; then
        set -- python3 python3.13 python3.12 python3.11 python
    else
        set -- "$PYTHON"
    fi
    python=
    for candidate in "$@"; do
        if is_new_enough "$candidate"; then python=$candidate; break; fi
    done
    if [ -z "$python" ]; then
        echo "This needs Python 3.11 or later; found: $("$1" --version 2>&1 || echo "nothing at $1")." >&2
        echo "Install one, or say where it is: make PYTHON=/path/to/python3.13 setup" >&2
        exit 1
    fi
    echo "Making the virtual environment in $environment with $("$python" --version) ($python)"
    if ! "$python" -m venv "$environment"; then
        rm -rf "$environment"
        echo "Python's venv module does not work here; on Debian and Ubuntu: apt install python3-venv" >&2
        exit 1
    fi
    echo '*' > "$environment/.gitignore"
fi

echo "Installing what $requirements names (once; it takes a minute or two)"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
    --no-deps --require-hashes --requirement "$requirements"
set --
for project in "$folder/clients/python" "$folder/cli"; do
    if [ -f "$project/pyproject.toml" ]; then set -- "$@" --editable "$project"; fi
done
if [ $# -gt 0 ]; then
    # Everything they need is there by now, what builds them too: nothing is fetched.
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        --no-index --no-deps --no-build-isolation "$@"
fi
echo "$wanted" > "$stamp"
