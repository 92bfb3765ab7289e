package dev.ash.cli.server;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash logs}. */
@Command(name = "logs", description = "Show the last lines of the server's log.")
final class LogsCommand extends LocalServerCommand {
    private static final int TAIL_BYTES = 4 * 1024 * 1024;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Number of lines. Default: ${DEFAULT-VALUE}.")
    int lines = 100;

    @Option(
            names = {"-f", "--follow"},
            description = "Follow the log until Ctrl-C.")
    boolean follow;

    LogsCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var log = data().log();
        if (!Files.isReadable(log)) {
            throw new CommandException(
                    ExitCode.NOT_FOUND,
                    "The log %s does not exist or is not readable by this user. Start the server with `ash start` first."
                            .formatted(log));
        }
        try (var file = new RandomAccessFile(log.toFile(), "r")) {
            var all = tail(file);
            var selected = all.subList(Math.max(0, all.size() - lines), all.size());
            if (follow) {
                selected.forEach(this::show);
                follow(log, file);
            } else if (json) {
                var document =
                        JsonWriter.object().put("log", log.toString()).put("lines", selected);
                return print(document.end(), "");
            }
            selected.forEach(this::show);
            return ExitCode.OK;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the log", e);
        }
    }

    private static List<String> tail(RandomAccessFile file) throws IOException {
        long start = Math.max(0, file.length() - TAIL_BYTES);
        file.seek(start);
        var bytes = new byte[(int) (file.length() - start)];
        file.readFully(bytes);
        return new ArrayList<>(new String(bytes, StandardCharsets.UTF_8).lines().toList());
    }

    /** Follows the log until the command is interrupted. */
    private void follow(Path log, RandomAccessFile file) throws IOException {
        var line = new java.io.ByteArrayOutputStream();
        try {
            while (true) {
                int next = file.read();
                if (next < 0) {
                    host.out().flush();
                    if (Files.size(log) < file.getFilePointer()) {
                        file.seek(0); // the log was truncated
                    }
                    Thread.sleep(100);
                } else if (next == '\n') {
                    show(line.toString(StandardCharsets.UTF_8));
                    line.reset();
                } else {
                    line.write(next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void show(String line) {
        host.out().println(json ? JsonWriter.object().put("line", line).end() : line);
    }
}
