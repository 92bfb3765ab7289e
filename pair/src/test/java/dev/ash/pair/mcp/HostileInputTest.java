package dev.ash.pair.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.mailbox.Mailbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** A connection survives any input of its client. */
class HostileInputTest {
    private static final String REQUEST =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"receive_messages\",\"arguments\":{\"limit\":5,\"peek\":true,\"since_id\":\"0\"}}}";

    private static Path directory;
    private static Mailbox mailbox;
    private static McpTestClient client;

    @BeforeContainer
    static void open() throws IOException {
        directory = Files.createTempDirectory("hostile");
        mailbox = Mailbox.open(directory, 1);
        client = McpTestClient.of(mailbox, "claude");
    }

    @AfterContainer
    static void close() throws IOException {
        mailbox.close();
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Property(tries = 500)
    void survivesArbitraryBytes(@ForAll byte[] message) {
        client.connection().handle(message);
        assertStillResponding();
    }

    @Property(tries = 300)
    void survivesCorruptAndTruncatedRequests(
            @ForAll @IntRange(max = 160) int place, @ForAll byte value) {
        var bytes = REQUEST.getBytes(StandardCharsets.UTF_8);
        bytes[place % bytes.length] = value;
        client.connection().handle(bytes);
        client.connection().handle(Arrays.copyOf(bytes, place % bytes.length));
        assertStillResponding();
    }

    private static void assertStillResponding() {
        var ping = "{\"id\":1,\"method\":\"ping\"}".getBytes(StandardCharsets.UTF_8);
        assertThat(client.connection().handle(ping)).isPresent();
    }
}
