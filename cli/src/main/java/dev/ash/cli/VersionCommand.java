package dev.ash.cli;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;

/** Implements {@code ash version}. */
@Command(name = "version", description = "Show the version of this command.")
final class VersionCommand extends AshCommand {
    VersionCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var java = System.getProperty("java.version");
        var document = JsonWriter.object().put("version", version()).put("java", java).end();
        return print(document, "ash %s (Java %s)".formatted(version(), java));
    }

    static String version() {
        try (var in = VersionCommand.class.getResourceAsStream("version.txt")) {
            return in == null
                    ? "unknown"
                    : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the version", e);
        }
    }
}
