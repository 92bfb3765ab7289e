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

/** Tests the proxy with curl as an independent client. */
@Timeout(60)
class CurlTest {
    @TempDir Path directory;

    @BeforeAll
    static void requireCurl() {
        boolean present = Files.isExecutable(Path.of("/usr/bin/curl"));
        if ("true".equals(System.getenv("CI"))) {
            assertThat(present).as("curl is installed by ./check").isTrue();
        }
        assumeTrue(present, "curl is not installed");
    }

    @Test
    void callsModelThroughSocket() throws Exception {
        try (var upstream = TestUpstream.respondingWith("hello");
                var proxy = TestProxy.forModel(upstream)) {
            var text = HexFormat.of().formatHex(randomBytes(1_500_000));
            var body =
                    Files.writeString(directory.resolve("body"), "{\"system\":\"" + text + "\"}");

            // Large enough for curl to send Expect: 100-continue first.
            var output =
                    curl(
                            proxy,
                            "-H",
                            "x-api-key: " + proxy.placeholder(),
                            "-H",
                            "Content-Type: application/json",
                            "--data-binary",
                            "@" + body,
                            "http://model.ash.internal/v1/messages");

            assertThat(output).isEqualTo("hello");
        }
    }

    @Test
    void downloadsTenMegabytesTwiceOnOneConnection() throws Exception {
        var bytes = randomBytes(10_000_000);
        try (var upstream =
                        TestUpstream.start(
                                (_, _, out) -> {
                                    TestUpstream.write(
                                            out,
                                            "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
                                                    .formatted(bytes.length));
                                    out.write(bytes);
                                });
                var proxy = TestProxy.forModel(upstream)) {
            var key = "x-api-key: " + proxy.placeholder();
            var first = directory.resolve("first");
            var second = directory.resolve("second");
            var url = "http://model.ash.internal/v1/models";

            var output =
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
            assertThat(output).containsIgnoringCase("re-using existing");
        }
    }

    @Test
    void displaysErrorInReasonPhrase() throws Exception {
        try (var proxy = TestProxy.allowing()) {
            var output = curl(proxy, "-i", "http://model.ash.internal/v1/files");

            assertThat(output)
                    .startsWith("HTTP/1.1 404 Ash: a sandbox may call only POST /v1/messages");
        }
    }

    private static byte[] randomBytes(int length) {
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
