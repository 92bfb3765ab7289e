package dev.ash.cli.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reads a prompt from standard input. */
public final class StandardInput {
    private StandardInput() {}

    public static String read(Host host) {
        try {
            var text = new String(host.in().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (text.isEmpty()) {
                throw new CommandException(
                        ExitCode.USAGE, "The prompt on standard input is empty.");
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read standard input", e);
        }
    }
}
