package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ash.server.egress.http.TestUpstream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that others wrote. */
@Timeout(60)
class CurlTest {
    @TempDir Path folder;

    @BeforeAll
    static void needsCurl() {
        boolean present = Files.isExecutable(Path.of("/usr/bin/curl"));
        if ("true".equals(System.getenv("CI"))) {
            assertThat(present).as("curl is installed; ./check sees to it").isTrue();
        }
        assumeTrue(present, "curl is not installed");
    }

    @Test
    void curlCallsTheModelThroughTheSocket() throws Exception {
        try (var upstream = TestUpstream.saying("hello");
                var proxy = TestProxy.ofModel(upstream)) {
            var text = HexFormat.of().formatHex(noise(1_500_000));
            var body = Files.writeString(folder.resolve("body"), "{\"system\":\"" + text + "\"}");

            // Large enough for curl to ask first whether it may send (Expect: 100-continue).
            var said =
                    curl(
                            proxy,
                            "-H",
                            "x-api-key: " + proxy.placeholder(),
                            "-H",
                            "Content-Type: application/json",
                            "--data-binary",
                            "@" + body,
                            "http://model.ash.internal/v1/messages");

            assertThat(said).isEqualTo("hello");
        }
    }

    @Test
    void curlGetsTenMegabytesAndReusesItsConnection() throws Exception {
        var bytes = noise(10_000_000);
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) -> {
                                    TestUpstream.write(
                                            out,
                                            "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
                                                    .formatted(bytes.length));
                                    out.write(bytes);
                                });
                var proxy = TestProxy.ofModel(upstream)) {
            var key = "x-api-key: " + proxy.placeholder();
            var first = folder.resolve("first");
            var second = folder.resolve("second");
            var url = "http://model.ash.internal/v1/models";

            var said =
                    curl(
                            proxy,
                            "-v",
                            "-H",
                            key,
                            "-o",
                            first.toString(),
                            url,
                            "-o",
                            second.toString(),
                            url);

            assertThat(Files.readAllBytes(first)).isEqualTo(bytes);
            assertThat(Files.readAllBytes(second)).isEqualTo(bytes);
            assertThat(said).containsIgnoringCase("re-using existing");
        }
    }

    @Test
    void curlShowsTheRefusal() throws Exception {
        try (var proxy = TestProxy.allowing()) {
            var said = curl(proxy, "-i", "http://model.ash.internal/v1/files");

            assertThat(said).startsWith("HTTP/1.1 404 Ash lets a sandbox call POST /v1/messages");
        }
    }

    private static byte[] noise(int length) {
        var bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    private static String curl(TestProxy proxy, String... arguments) throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                "/usr/bin/curl",
                                "-sS",
                                "--max-time",
                                "30",
                                "--noproxy",
                                "*",
                                "--unix-socket",
                                proxy.socket().toString()));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
