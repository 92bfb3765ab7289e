#!/bin/sh
# Tells Ash what happens in Claude Code, and brings back what a person decided elsewhere.
# Written by `ash hooks install`; `ash hooks uninstall` removes it.
#
#   ash-hook            reports what it reads on standard input
#   ash-hook answer     PermissionRequest: waits for an answer
#   ash-hook ask        PreToolUse: asks first, and waits for an answer
#
# Whatever goes wrong, this decides nothing: the terminal asks by itself, as if Ash were not there.

settings=${0%/*}/hook.conf
no_answer='{}'
longest=5
case ${1-} in
    answer) longest=@WAIT@ ;;
    ask)
        longest=@WAIT@
        no_answer='{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Ash did not answer"}}'
        ;;
esac

leave() {
    trap '' HUP INT TERM
    [ -z "${curl-}" ] || kill "$curl" 2>/dev/null
    [ -z "${file-}" ] || rm -f "$file"
    printf '%s\n' "${1:-$no_answer}"
    exit 0
}
trap 'leave' HUP INT TERM

command -v curl >/dev/null 2>&1 || leave
umask 077
file=$(mktemp "${TMPDIR:-/tmp}/ash-hook.XXXXXX" 2>/dev/null) || leave

# In the background, because a shell hears no signal while it waits for a command in front.
exec 3<&0
curl -q -K "$settings" -sS -f --connect-timeout 2 --max-time "$longest" \
    -H 'Content-Type: application/json' -H 'Expect:' ${1:+-H "X-Ash-Ask: $1"} \
    --data-binary @- -o "$file" <&3 2>/dev/null &
curl=$!
wait "$curl" || { curl=''; leave; }
curl=''

answer=$(tr -d '\000' <"$file" | sed 's/^ *//')
case $answer in
    '{'*'}') leave "$answer" ;;
    *) leave ;;
esac
