#!/bin/sh
# Stand-in for aider, which is not available here: the prompt is the last argument. A prompt
# "RUN:command" runs the command; any other one is repeated.
for prompt; do :; done
echo "arguments: $#"
case $prompt in
    *RUN:*) exec sh -c "${prompt##*RUN:}" ;;
    *) printf 'aider says: %s\n' "${prompt##*SAY:}" ;;
esac
