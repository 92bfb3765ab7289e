package dev.ash.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Main;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests Ctrl-C with a real process, because signals are sent to processes. */
class InterruptTest {
    /**
     * Runs its arguments with the default SIGINT handler, since a background build ignores SIGINT
     * and its children inherit that.
     */
    private static final String RESET_SIGINT =
            """
            import os, signal, sys
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execv(sys.argv[1], sys.argv[1:])
            """;

    @TempDir Path root;

    @Test
    void interruptsTurnAndExitsWith130() throws IOException, InterruptedException {
        var interrupted = new CountDownLatch(1);
        try (var server = new FakeServer()) {
            server.on(
                    "POST /api/sessions/s1/messages",
                    (_, out) -> {
                        FakeServer.write(
                                out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
                        FakeServer.write(
                                out, "event: text_delta\ndata: {\"delta\":\"on and\"}\n\n");
                        await(interrupted);
                        FakeServer.write(out, "event: done\ndata: {\"sessionId\":\"s1\"}\n\n");
                    });
            server.on(
                    "POST /api/sessions/s1/interrupt",
                    (_, out) -> {
                        FakeServer.write(out, "HTTP/1.1 200 OK\r\n\r\n{\"interrupted\":true}");
                        interrupted.countDown();
                    });
            var process = start(server, "session", "send", "s1", "go on and on");

            var output = new String(process.getInputStream().readNBytes(6), StandardCharsets.UTF_8);
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();

            assertThat(output).isEqualTo("on and");
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(130);
            assertThat(server.lines()).contains("POST /api/sessions/s1/interrupt");
        }
    }

    @Test
    void doesNotStopPairRun() throws IOException, InterruptedException {
        var never = new CountDownLatch(1);
        try (var server = new FakeServer()) {
            server.on(
                    "GET /api/pairs/p-1",
                    "{\"pair\":{\"id\":\"p-1\",\"state\":\"running\",\"findings\":[]}}");
            server.on(
                    "GET /api/pairs/p-1/stream",
                    (_, out) -> {
                        FakeServer.stream(
                                out,
                                "event: pair\ndata: {\"type\":\"state\",\"content\":\"on\"}\nid: 1");
                        await(never);
                    });
            var process = start(server, "pair", "watch", "p-1");

            var output = process.inputReader(StandardCharsets.UTF_8).readLine();
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();

            assertThat(output).endsWith("on");
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(130);
            assertThat(server.lines()).noneMatch(line -> line.startsWith("POST"));
        }
    }

    private Process start(FakeServer server, String... args) throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                "python3",
                                "-c",
                                RESET_SIGINT,
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Dash.terminals=",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName()));
        command.addAll(List.of(args));
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("ASH_SERVER_URL", server.url());
        builder.environment().put("ASH_API_KEY", "ash_key");
        builder.environment().put("HOME", root.toString());
        return builder.start();
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
