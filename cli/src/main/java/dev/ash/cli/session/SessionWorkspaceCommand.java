package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SessionApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash session workspace}. */
@Command(name = "workspace", description = "Save a session's workspace, or upload files to it.")
final class SessionWorkspaceCommand extends SessionCommand {
    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "File for the tar.gz. Default: SESSION.tar.gz.")
    String output = "";

    @Option(
            names = "--upload",
            paramLabel = "FILE",
            description = "Unpack this tar.gz into the workspace instead.")
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
            throw new UncheckedIOException("Cannot read or write the file", e);
        }
    }
}
