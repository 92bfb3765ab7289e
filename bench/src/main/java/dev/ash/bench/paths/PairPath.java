package dev.ash.bench.paths;

import dev.ash.bench.paths.Recorder.Window;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A round of a pair: from the verdict of the first round to that of the second. The demo engine
 * rejects the first work of a pair and approves the second. Polls the mailbox file for verdicts, so
 * that there are no requests to the server during the round.
 */
final class PairPath implements Recorder.Operation {
    private static final Pattern VERDICT = Pattern.compile("\"signal\":\"(PASS|FAIL)\"");

    private final PathServer server;
    private final Path projects;

    PairPath(PathServer server, Path projects) {
        this.server = server;
        this.projects = projects;
    }

    @Override
    public Window perform() throws IOException, InterruptedException {
        var repository = repository();
        var response =
                server.server()
                        .post(
                                "/api/pairs",
                                "{\"repository\":\"%s\",\"task\":\"Write a file\"}"
                                        .formatted(repository));
        PathServer.field("id", response);
        var runs = projects.resolve("runs");
        long begin = PathServer.await(() -> verdicts(runs) >= 1);
        PathServer.await(() -> verdicts(runs) >= 2);
        return new Window(begin, System.nanoTime());
    }

    private static long verdicts(Path runs) throws IOException {
        if (!Files.exists(runs)) {
            return 0;
        }
        try (var files = Files.walk(runs)) {
            var mailbox = files.filter(file -> file.endsWith("bridge.jsonl")).findFirst();
            return mailbox.isEmpty()
                    ? 0
                    : VERDICT.matcher(Files.readString(mailbox.get())).results().count();
        }
    }

    private Path repository() throws IOException, InterruptedException {
        var path = Files.createDirectory(projects.resolve("sums"));
        Files.writeString(path.resolve("README.md"), "# Sums\n");
        git(path, "init", "--quiet", "--initial-branch=main");
        git(path, "add", "--all");
        git(path, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "first");
        if ("root".equals(System.getProperty("user.name"))) {
            // The server rejects projects of root.
            run(path, List.of("chown", "-R", "4711:4712", path.toString()));
        }
        return path;
    }

    private static void git(Path directory, String... arguments)
            throws IOException, InterruptedException {
        var command = new java.util.ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        run(directory, command);
    }

    private static void run(Path directory, List<String> command)
            throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).directory(directory.toFile()).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException(command + " failed");
        }
    }
}
