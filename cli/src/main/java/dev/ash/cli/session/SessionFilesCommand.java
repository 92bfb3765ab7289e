package dev.ash.cli.session;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
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

/** Implements {@code ash session files}. */
@Command(
        name = "files",
        description = "List a session's files, or print, save, write or delete one.")
final class SessionFilesCommand extends SessionCommand {
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PATH",
            description = "File, relative to the workspace.")
    String path = "";

    @ArgGroup Action action = new Action();

    /** Options of which at most one is allowed. */
    static final class Action {
        @Option(
                names = {"-o", "--output"},
                paramLabel = "FILE",
                description = "Save PATH to this file.")
        String output = "";

        @Option(names = "--put", paramLabel = "FILE", description = "Write this file to PATH.")
        String put = "";

        @Option(names = "--delete", description = "Delete PATH.")
        boolean delete;
    }

    SessionFilesCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        if (path.isEmpty()) {
            if (action.delete || !action.put.isEmpty() || !action.output.isEmpty()) {
                throw new CommandException(
                        ExitCode.USAGE, "PATH is missing. Specify a file of the session.");
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
            throw new UncheckedIOException("Cannot read or write a file", e);
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
        for (var result : written) {
            if (!result.written()) {
                throw new CommandException(
                        "%s was not written: %s".formatted(result.path(), result.error()));
            }
        }
        return print(new SessionApi.WrittenFiles(written), "Wrote " + path);
    }

    private int delete() {
        sessions().deleteFile(id, path);
        return print(new SessionApi.DeletedFile(path, true), "Deleted " + path);
    }
}
