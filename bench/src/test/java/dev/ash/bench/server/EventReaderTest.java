package dev.ash.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class EventReaderTest {
    @Test
    void readsIdsAndDataAcrossChunks() throws IOException {
        var body =
                "13\r\nevent: text\ndata: 1\r\nd\r\n\n\nevent: mess\r\n12\r\nage\ndata: {}\nid: 4\r\n"
                        + "5\r\n2\n\nid\r\n6\r\n: 43\n\n\r\n";
        var reader = new EventReader(() -> {}, new ByteArrayInputStream(body.getBytes(US_ASCII)));

        assertThat(reader.next()).isEqualTo(new EventReader.Event(42, "{}"));
        assertThat(reader.nextId()).isEqualTo(43);
    }
}
