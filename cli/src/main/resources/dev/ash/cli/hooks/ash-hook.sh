#!/bin/sh
# Hook of Claude Code: reports events to Ash and returns decisions made in Ash.
# Written by `ash hooks install`; `ash hooks uninstall` removes it.
#
#   ash-hook            reports the event on standard input
#   ash-hook answer     PermissionRequest: waits for an answer
#   ash-hook ask        PreToolUse: asks first, and waits for an answer
#
# On any failure it makes no decision: the terminal asks the user, as without Ash.

settings=${0%/*}/hook.conf
no_answer='{}'
max_time=5
case ${1-} in
    answer) max_time=@WAIT@ ;;
    ask)
        max_time=@WAIT@
        no_answer='{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Ash did not answer"}}'
        ;;
esac

finish() {
    trap '' HUP INT TERM
    [ -z "${curl-}" ] || kill "$curl" 2>/dev/null
    [ -z "${file-}" ] || rm -f "$file"
    printf '%s\n' "${1:-$no_answer}"
    exit 0
}
trap 'finish' HUP INT TERM

command -v curl >/dev/null 2>&1 || finish
umask 077
file=$(mktemp "${TMPDIR:-/tmp}/ash-hook.XXXXXX" 2>/dev/null) || finish

# In the background, because a shell handles no signals while it waits for a foreground command.
exec 3<&0
curl -q -K "$settings" -sS -f --connect-timeout 2 --max-time "$max_time" \
    -H 'Content-Type: application/json' -H 'Expect:' ${1:+-H "X-Ash-Ask: $1"} \
    --data-binary @- -o "$file" <&3 2>/dev/null &
curl=$!
wait "$curl" || { curl=''; finish; }
curl=''

answer=$(tr -d '\000' <"$file" | sed 's/^ *//')
case $answer in
    '{'*'}') finish "$answer" ;;
    *) finish ;;
esac
