package dev.ash.cli.server;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
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

@Command(name = "logs", description = "Show the end of the server's log.")
final class LogsCommand extends LocalServerCommand {
    private static final int TAIL_BYTES = 4 * 1024 * 1024;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "How many lines; by default ${DEFAULT-VALUE}.")
    int lines = 100;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with what comes, until Ctrl-C.")
    boolean follow;

    LogsCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var log = data().log();
        if (!Files.isReadable(log)) {
            throw new Failure(
                    ExitCode.NOT_FOUND,
                    "There is no log at %s that this user can read. Has the server been started?"
                            .formatted(log));
        }
        try (var file = new RandomAccessFile(log.toFile(), "r")) {
            var all = tail(file);
            var wanted = all.subList(Math.max(0, all.size() - lines), all.size());
            if (follow) {
                wanted.forEach(this::show);
                follow(log, file);
            } else if (json) {
                var document = JsonWriter.object().put("log", log.toString()).put("lines", wanted);
                return print(document.end(), "");
            }
            wanted.forEach(this::show);
            return ExitCode.OK;
        } catch (IOException e) {
            throw new UncheckedIOException("The log cannot be read", e);
        }
    }

    private static List<String> tail(RandomAccessFile file) throws IOException {
        long start = Math.max(0, file.length() - TAIL_BYTES);
        file.seek(start);
        var bytes = new byte[(int) (file.length() - start)];
        file.readFully(bytes);
        return new ArrayList<>(new String(bytes, StandardCharsets.UTF_8).lines().toList());
    }

    /** Until the command is killed: Ctrl-C is how one leaves. */
    private void follow(Path log, RandomAccessFile file) throws IOException {
        var line = new java.io.ByteArrayOutputStream();
        try {
            while (true) {
                int next = file.read();
                if (next < 0) {
                    host.out().flush();
                    if (Files.size(log) < file.getFilePointer()) {
                        file.seek(0); // it was begun anew
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
