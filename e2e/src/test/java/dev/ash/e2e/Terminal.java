package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Runs a program on a pseudo-terminal, created by {@code script}, and simulates typing. */
public final class Terminal implements AutoCloseable {
    private final Process process;
    private final StringBuffer output = new StringBuffer();
    private int seen;

    private Terminal(Process process) {
        this.process = process;
        Thread.ofVirtual().name("terminal").start(this::read);
    }

    public static Terminal run(String command, Path directory, Map<String, String> environment) {
        var builder =
                new ProcessBuilder(
                        List.of(
                                "script",
                                "-qefc",
                                "stty rows 50 cols 160; exec " + command,
                                "/dev/null"));
        var env = builder.environment();
        env.keySet().retainAll(Set.of("PATH", "LANG"));
        env.put("TERM", "xterm-256color");
        env.putAll(environment);
        try {
            return new Terminal(
                    builder.directory(directory.toFile()).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read() {
        var bytes = new byte[64 * 1024];
        try (var in = process.getInputStream()) {
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                output.append(new String(bytes, 0, n, UTF_8));
            }
        } catch (IOException e) {
            output.append(e);
        }
    }

    /** Waits until the text is shown after the previously awaited text. */
    public void awaitText(String text) {
        await().atMost(Duration.ofSeconds(60))
                .alias("\"" + text + "\" on the terminal")
                .until(() -> shown().indexOf(text, seen) >= 0);
        seen = shown().indexOf(text, seen) + text.length();
    }

    /** Returns the output without control sequences. */
    String shown() {
        return output.toString()
                .replaceAll("\u001b\\[[0-9;?<>=]*[a-zA-Z]|\u001b\\][^\u0007]*\u0007|\u001b.", " ")
                .replaceAll("\\s+", " ");
    }

    public void type(String keys) {
        try {
            process.getOutputStream().write(keys.getBytes(UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Types a line and sends it once it is displayed: otherwise the CLI treats it as pasted text.
     */
    void typeLine(String line) {
        type(line);
        awaitText(line);
        type("\r");
    }

    public boolean hasExited() {
        return !process.isAlive();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
