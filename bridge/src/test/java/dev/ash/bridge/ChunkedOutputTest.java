package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Output of the engine in chunks that split characters. */
class ChunkedOutputTest {
    private static Path directory;
    private static TestBridge bridge;
    private static RawClient client;

    @BeforeContainer
    static void open() throws IOException {
        directory = Files.createTempDirectory("ash-bridge-test");
        bridge = TestBridge.open(directory, FakeClaude.in(directory).environment());
        client = bridge.client();
    }

    @AfterContainer
    static void close() throws IOException {
        client.close();
        bridge.close();
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Property(tries = 60, seed = "42")
    void forwardsCompleteText(
            @ForAll @IntRange(min = 1, max = 7) int size,
            @ForAll @StringLength(max = 40) String text)
            throws IOException {
        var validCodePoints = text.codePoints().filter(point -> point < 0xD800 || point > 0xDFFF);
        var expected = new StringBuilder("é漢🧪");
        validCodePoints.forEach(expected::appendCodePoint);

        var turn = client.query("bytes " + size + " " + expected).untilDone();

        assertThat(turn.get(1).message().text("text")).isEqualTo(expected.toString());
    }
}
