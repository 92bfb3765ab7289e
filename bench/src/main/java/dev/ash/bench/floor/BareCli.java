package dev.ash.bench.floor;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The Claude Code program without Ash: one process for all turns, with the flags of the bridge. */
public final class BareCli implements AutoCloseable {
    private static final String PROMPT =
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                    + "\"text\":\"Is it?\"}]}}\n";

    private final Process process;
    private final OutputStream in;
    private final BufferedReader out;

    /** A turn: milliseconds to its first event and to its result. */
    public record Turn(double firstMillis, double resultMillis) {}

    public BareCli(Path program, Path directory, Map<String, String> environment)
            throws IOException {
        var builder =
                new ProcessBuilder(
                                List.of(
                                        program.toString(),
                                        "--input-format",
                                        "stream-json",
                                        "--output-format",
                                        "stream-json",
                                        "--verbose",
                                        "--include-partial-messages",
                                        "--replay-user-messages",
                                        "--setting-sources=project",
                                        "--permission-mode",
                                        "bypassPermissions"))
                        .directory(directory.toFile())
                        .redirectError(directory.resolve("stderr").toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        process = builder.start();
        in = process.getOutputStream();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    }

    public Turn turn() throws IOException {
        long begin = System.nanoTime();
        in.write(PROMPT.getBytes(UTF_8));
        in.flush();
        long first = 0;
        while (true) {
            var line = out.readLine();
            if (line == null) {
                throw new IOException("the CLI has exited; see its standard error");
            }
            if (first == 0 && !line.startsWith("{\"type\":\"user\"")) {
                first = System.nanoTime();
            }
            if (line.startsWith("{\"type\":\"result\"")) {
                return new Turn((first - begin) / 1e6, (System.nanoTime() - begin) / 1e6);
            }
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
