package dev.ash.cli.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A prompt that comes through a pipe. */
public final class StandardInput {
    private StandardInput() {}

    public static String read(Host host) {
        try {
            var text = new String(host.in().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (text.isEmpty()) {
                throw new Failure(ExitCode.USAGE, "There is no prompt on standard input.");
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException("Standard input cannot be read", e);
        }
    }
}
