package dev.ash.cli.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the hook script, run as Claude Code runs it. */
class HookProgramTest {
    private static final String ASK =
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\",\"permissionDecisionReason\":\"Ash did not answer\"}}\n";

    @TempDir Path root;

    private Process start(String url, String path, String... arguments) throws IOException {
        var program = new HookProgram(root.resolve("it's me"));
        program.write(url, Optional.empty(), "tok", 20);
        var command = program.command(String.join(" ", arguments));
        var builder = new ProcessBuilder("/bin/sh", "-c", "exec " + command);
        builder.environment().put("PATH", path);
        builder.environment()
                .put("TMPDIR", Files.createDirectories(root.resolve("tmp")).toString());
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private String run(String url, String input, String... arguments) throws Exception {
        return finish(start(url, System.getenv("PATH"), arguments), input);
    }

    private String finish(Process process, String input) throws Exception {
        try (var out = process.getOutputStream()) {
            out.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // the script did not read all input, for example without curl
        }
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        try (var left = Files.list(root.resolve("tmp"))) {
            assertThat(left).isEmpty();
        }
        return output;
    }

    @Test
    void sendsBodyAndReturnsResponse() throws Exception {
        var answer = "{\"a\":\"ü $HOME `x` \\\\ \\n\"}";
        var body = "{\"x\":\"" + "ü\\n ".repeat(100_000) + "\"}";
        try (var server = FakeServer.responding(200, "   " + answer)) {
            assertThat(run(server.url(), body, "answer")).isEqualTo(answer + "\n");

            var request = server.requests().getFirst();
            assertThat(request.line()).startsWith("POST /hooks/event ");
            assertThat(request.body()).isEqualTo(body);
            assertThat(request.header("Authorization")).contains("Bearer tok");
            run(server.url(), "{}");
            assertThat(server.requests().getLast().header("X-Ash-Ask")).isEmpty();
            run(server.url(), "{}", "ask");
            assertThat(server.requests().getLast().header("X-Ash-Ask")).contains("ask");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n{}",
                "HTTP/1.1 401 No\r\nContent-Length: 11\r\n\r\n{\"error\":1}",
                "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<html>{}</html>",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"hookSpecificOutput\":{}}",
                "HTTP/1.1 302 Found\r\nLocation: http://localhost/\r\nContent-Length: 0\r\n\r\n",
                "nonsense\r\n\r\n"
            })
    void makesNoDecisionOnInvalidResponse(String answer) throws Exception {
        try (var server = FakeServer.sending(answer)) {
            assertThat(run(server.url(), "{}", "answer")).isEqualTo("{}\n");
            assertThat(run(server.url(), "{}")).isEqualTo("{}\n");
            assertThat(run(server.url(), "{}", "ask")).isEqualTo(ASK);
        }
    }

    @Test
    void makesNoDecisionWithoutServer() throws Exception {
        int port;
        try (var server = new FakeServer()) {
            port = server.port();
        }
        assertThat(run("http://127.0.0.1:" + port, "{}", "answer")).isEqualTo("{}\n");
        assertThat(run("http://127.0.0.1:" + port, "{}", "ask")).isEqualTo(ASK);
    }

    @Test
    void makesNoDecisionWithoutCurl() throws Exception {
        Files.createDirectories(root.resolve("tmp"));

        assertThat(finish(start("http://127.0.0.1:1", "/nowhere", "answer"), "{}"))
                .isEqualTo("{}\n");
    }

    @Test
    void closesConnectionWhenTerminated() throws Exception {
        var requestReceived = new CountDownLatch(1);
        var connectionClosed = new CountDownLatch(1);
        try (var server =
                new FakeServer(
                        (_, out) -> {
                            requestReceived.countDown();
                            try {
                                FakeServer.write(out, "HTTP/1.1 200 OK\r\n\r\n");
                                while (true) {
                                    FakeServer.write(out, " ");
                                }
                            } finally {
                                connectionClosed.countDown();
                            }
                        })) {
            var process = start(server.url(), System.getenv("PATH"), "answer");
            process.getOutputStream().write("{}".getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().close();
            assertThat(requestReceived.await(20, TimeUnit.SECONDS)).isTrue();

            process.toHandle().destroy(); // leaves the streams open

            assertThat(connectionClosed.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(process.inputReader().readLine()).isEqualTo("{}");
        }
    }

    @Test
    void trustsCertificateOfLocalServer() throws Exception {
        var program = new HookProgram(root.resolve("with \"tls\""));
        var certificate = Path.of("/data/a \"b\"/tls-cert.pem");

        program.write("https://localhost:4100", Optional.of(certificate), "tok", 20);

        assertThat(program.settings())
                .content()
                .contains("cacert = \"/data/a \\\"b\\\"/tls-cert.pem\"\n");
    }
}
