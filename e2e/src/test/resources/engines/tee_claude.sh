#!/bin/bash
# The real CLI beside this script, with a copy of each line it says in the home of the sandbox.
echo $$ >> "$HOME/engine-starts"
exec "$(dirname "$0")/claude-real" "$@" > >(exec tee -a "$HOME/engine-stdout.jsonl")
