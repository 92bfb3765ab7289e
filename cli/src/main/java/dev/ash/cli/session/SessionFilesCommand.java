package dev.ash.cli.session;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.AgentApi.FileUpload;
import dev.ash.protocol.rest.SessionApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Base64;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "files",
        description = "List a session's files; with PATH, print, save, write or delete that one.")
final class SessionFilesCommand extends SessionCommand {
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PATH",
            description = "A file, relative to the workspace.")
    String path = "";

    @ArgGroup Action action = new Action();

    /** At most one of these. */
    static final class Action {
        @Option(
                names = {"-o", "--output"},
                paramLabel = "FILE",
                description = "Save it here.")
        String output = "";

        @Option(names = "--put", paramLabel = "FILE", description = "Write it from this file.")
        String put = "";

        @Option(names = "--delete", description = "Delete it.")
        boolean delete;
    }

    SessionFilesCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        if (path.isEmpty()) {
            if (action.delete || !action.put.isEmpty() || !action.output.isEmpty()) {
                throw new Failure(ExitCode.USAGE, "PATH is missing: which file of the session?");
            }
            return list();
        }
        try {
            if (!action.put.isEmpty()) {
                return put();
            }
            if (!action.output.isEmpty()) {
                Files.write(host.resolve(action.output), sessions().downloadFile(id, path));
                return print(new SessionApi.Note(action.output), "Saved " + action.output);
            }
            return action.delete ? delete() : show();
        } catch (IOException e) {
            throw new UncheckedIOException("A file cannot be read or written", e);
        }
    }

    private int list() {
        var files = sessions().files(id);
        if (files.files().isEmpty()) {
            return printList(files, "", "No files.");
        }
        var table = new Table().row("SIZE", "MODIFIED", "PATH");
        files.files().forEach(file -> table.row(file.size(), file.modifiedAt(), file.path()));
        return print(files, table.toString());
    }

    private int show() {
        if (json) {
            return print(sessions().readFile(id, path), "");
        }
        var bytes = sessions().downloadFile(id, path);
        host.out().write(bytes, 0, bytes.length);
        return ExitCode.OK;
    }

    private int put() throws IOException {
        var file = host.resolve(action.put);
        var content = Base64.getEncoder().encodeToString(Files.readAllBytes(file));
        var executable = Files.isExecutable(file) ? Boolean.TRUE : null;
        var upload = new FileUpload(path, content, null, executable);
        var written = sessions().writeFiles(id, new SessionApi.WriteFiles(List.of(upload), null));
        for (var one : written) {
            if (!one.written()) {
                throw new Failure("%s was not written: %s".formatted(one.path(), one.error()));
            }
        }
        return print(new SessionApi.WrittenFiles(written), "Wrote " + path);
    }

    private int delete() {
        sessions().deleteFile(id, path);
        return print(new SessionApi.DeletedFile(path, true), "Deleted " + path);
    }
}
