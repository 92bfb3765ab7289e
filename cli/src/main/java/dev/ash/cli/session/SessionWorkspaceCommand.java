package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SessionApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "workspace", description = "Save a session's whole workspace, or unpack one there.")
final class SessionWorkspaceCommand extends SessionCommand {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Where to save the tar.gz; by default SESSION.tar.gz.")
    String output = "";

    @Option(names = "--upload", paramLabel = "FILE", description = "Unpack this tar.gz instead.")
    String upload = "";

    SessionWorkspaceCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        try {
            if (!upload.isEmpty()) {
                var bundle = Files.readAllBytes(host.resolve(upload));
                var note = sessions().uploadWorkspace(id, bundle);
                return print(new SessionApi.Note(note), note);
            }
            var file = output.isEmpty() ? id + ".tar.gz" : output;
            Files.write(host.resolve(file), sessions().downloadWorkspace(id));
            return print(new SessionApi.Note(file), "Saved " + file);
        } catch (IOException e) {
            throw new UncheckedIOException("The file cannot be read or written", e);
        }
    }
}
