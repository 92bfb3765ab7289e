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

/** Text of any alphabet, written by the engine in pieces that fall anywhere within characters. */
class ChunkedOutputTest {
    private static Path folder;
    private static TestBridge bridge;
    private static RawClient client;

    @BeforeContainer
    static void open() throws IOException {
        folder = Files.createTempDirectory("ash-bridge-test");
        bridge = TestBridge.open(folder, FakeClaude.in(folder).environment());
        client = bridge.client();
    }

    @AfterContainer
    static void close() throws IOException {
        client.close();
        bridge.close();
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Property(tries = 60, seed = "42")
    void arrivesWhole(
            @ForAll @IntRange(min = 1, max = 7) int size,
            @ForAll @StringLength(max = 40) String text)
            throws IOException {
        var whole = text.codePoints().filter(point -> point < 0xD800 || point > 0xDFFF);
        var said = new StringBuilder("é漢🧪");
        whole.forEach(said::appendCodePoint);

        var turn = client.query("bytes " + size + " " + said).untilDone();

        assertThat(turn.get(1).message().text("text")).isEqualTo(said.toString());
    }
}
