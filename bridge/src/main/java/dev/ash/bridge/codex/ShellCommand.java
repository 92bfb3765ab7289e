package dev.ash.bridge.codex;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Takes the shell off a command line: the CLI says {@code /bin/bash -lc 'make test'} where its
 * model said {@code make test}. What is not surely that stays as it is, for people decide by it.
 */
final class ShellCommand {
    private static final Pattern SHELL =
            Pattern.compile("(?:/usr)?/bin/(?:bash|sh|zsh|dash) -l?c (.+)", Pattern.DOTALL);

    private static final Pattern BARE = Pattern.compile("[A-Za-z0-9_./=:,@%+-]+");

    static String unwrap(String line) {
        var shell = SHELL.matcher(line);
        return shell.matches() ? word(shell.group(1)).orElse(line) : line;
    }

    /** The value of a single word of a shell; empty if it is more, or not plain. */
    private static Optional<String> word(String quoted) {
        var value = new StringBuilder();
        int at = 0;
        while (at < quoted.length()) {
            char first = quoted.charAt(at);
            int end = first == '\'' || first == '"' ? close(quoted, at) : bare(quoted, at);
            if (end < 0) {
                return Optional.empty();
            }
            value.append(
                    switch (first) {
                        case '\'' -> quoted.substring(at + 1, end - 1);
                        case '"' -> unescaped(quoted.substring(at + 1, end - 1));
                        default -> quoted.substring(at, end);
                    });
            at = end;
        }
        return Optional.of(value.toString());
    }

    /** After the closing quote; negative if there is none, or if a shell would expand something. */
    private static int close(String text, int from) {
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

    private static int bare(String text, int from) {
        var word = BARE.matcher(text).region(from, text.length());
        return word.lookingAt() ? word.end() : -1;
    }

    private static String unescaped(String text) {
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
