#!/bin/sh
# The tour of `make demo`: a project whose cases hold, then one whose cases are meant to fail.
# Usage: demo.sh GKO, where GKO is the installed program.
set -u
gko=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")" || exit
unset GKO_CONFIG_DIR GKO_STATS_FILE

# Tests the project in a folder here, and stops the tour unless that ends with the code expected: FOLDER CODE [OPTION]
tested() {
    folder=$1 expected=$2
    shift 2
    printf '\n$ cd examples/%s; gko config test%s\n\n' "$folder" "${1:+ $*}"
    code=0
    (cd "$folder" && "$gko" config test "$@") || code=$?
    printf '\n(exit code %s)\n' "$code"
    if [ "$code" != "$expected" ]; then
        echo "error: examples/$folder should have ended with exit code $expected" >&2
        exit 1
    fi
}

echo
echo "== Prompts that do what they should"
echo "Each case below gives a command an input and says what must be true of the answer. A small model answers, on this"
echo "machine: nothing leaves it."
tested demo 0

echo
echo "== The same without the model"
echo "Each case has a recording of its answer beside it. A CI machine judges those: in a second, and with no model at all."
tested demo 0 --replay
cat <<'NEXT'

Everything held. What to try next, after `. .venv/bin/activate && cd examples/demo`:
    echo 'We need 8 kettles in Turin.' | gko extract order     run one of the commands
    gko config test extract/order --repeat 3                   is the answer the same every time?
    gko config test git --dry-run                              what is sent to the model
    ${EDITOR:-vi} .gekko/tests/extract/order/at-least.toml     expect something else, and test or replay again
    ${EDITOR:-vi} .gekko/commands/extract/order.md             change the prompt, and see --replay refuse; then --record
NEXT

echo
echo "== A prompt that does not"
echo "It sorts support tickets and shows an example of each kind. That is fair, and still more than so small a model can do."
tested red 4
cat <<'WHY'

Every failure names the expectation, what was expected, what was there, and the line to look at. Exit code 4 says that an
expectation failed, so that a script or a CI job can stop there; with 2 or 3 there is no verdict at all, because a file is
wrong or no answer could be had. Here it was meant to fail: the demo worked. README.md and docs/ go on from here.
WHY
