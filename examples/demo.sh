#!/bin/sh
# The tour of `make demo`: a project whose cases hold, then one whose cases are meant to fail.
# Usage: demo.sh GKO, where GKO is the installed program.
set -u
gko=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")" || exit
unset GKO_CONFIG_DIR GKO_STATS_FILE

# Tests the project in a folder here, and stops the tour unless that ends with the code expected.
tested() {
    printf '\n$ cd examples/%s; gko config test\n\n' "$1"
    code=0
    (cd "$1" && "$gko" config test) || code=$?
    printf '\n(exit code %s)\n' "$code"
    if [ "$code" != "$2" ]; then
        echo "error: examples/$1 should have ended with exit code $2" >&2
        exit 1
    fi
}

echo
echo "== Prompts that keep their promises"
echo "Each case below gives a command an input and says what the answer must be like. The answers come from"
echo "a small model that gko runs on this machine; nothing leaves it."
tested demo 0
cat <<'NEXT'

All of them held. What to try next, after '. .venv/bin/activate; cd examples/demo':
    echo 'Hi, order 5 is late. Jo Day, jo@day.example' | gko extract contact    run one of the commands
    gko config test extract --repeat 3                                          is it the same every time?
    gko config test git --dry-run                                               what is sent to the model
    ${EDITOR:-vi} .gekko/tests/summarise/ferry.toml                             change what is expected
NEXT

echo
echo "== Prompts that break them"
echo "The next project is wrong on purpose. A failure names the expectation, what was expected and what was there."
tested red 4
cat <<'WHY'

Exit code 4 says that an expectation failed, so that a script or a CI job stops here. Other codes mean that there was no
verdict: 2, a file or the command line is wrong; 3, no answer could be had. The demo itself has worked.
WHY
