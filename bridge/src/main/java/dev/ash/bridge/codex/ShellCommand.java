package dev.ash.bridge.codex;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Removes the shell from a command line: the CLI reports {@code /bin/bash -lc 'make test'} for the
 * model's {@code make test}. Other command lines are unchanged, because people decide by them.
 */
final class ShellCommand {
    private static final Pattern SHELL =
            Pattern.compile("(?:/usr)?/bin/(?:bash|sh|zsh|dash) -l?c (.+)", Pattern.DOTALL);

    private static final Pattern BARE_WORD = Pattern.compile("[A-Za-z0-9_./=:,@%+-]+");

    static String unwrap(String line) {
        var shell = SHELL.matcher(line);
        return shell.matches() ? word(shell.group(1)).orElse(line) : line;
    }

    /** Returns the value of a single shell word; empty if there are more or it has expansions. */
    private static Optional<String> word(String quoted) {
        var value = new StringBuilder();
        int position = 0;
        while (position < quoted.length()) {
            char first = quoted.charAt(position);
            int end =
                    first == '\'' || first == '"'
                            ? endOfQuoted(quoted, position)
                            : endOfBare(quoted, position);
            if (end < 0) {
                return Optional.empty();
            }
            value.append(
                    switch (first) {
                        case '\'' -> quoted.substring(position + 1, end - 1);
                        case '"' -> unescape(quoted.substring(position + 1, end - 1));
                        default -> quoted.substring(position, end);
                    });
            position = end;
        }
        return Optional.of(value.toString());
    }

    /** Returns the index after the closing quote; -1 if there is none, or for an expansion. */
    private static int endOfQuoted(String text, int from) {
        char quote = text.charAt(from);
        for (int i = from + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == quote) {
                return i + 1;
            }
            if (quote == '"' && c == '\\') {
                i++;
            } else if (quote == '"' && (c == '$' || c == '`')) {
                return -1;
            }
        }
        return -1;
    }

    private static int endOfBare(String text, int from) {
        var word = BARE_WORD.matcher(text).region(from, text.length());
        return word.lookingAt() ? word.end() : -1;
    }

    private static String unescape(String text) {
        var value = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length() && "$`\"\\".indexOf(text.charAt(i + 1)) >= 0) {
                c = text.charAt(++i);
            }
            value.append(c);
        }
        return value.toString();
    }

    private ShellCommand() {}
}
