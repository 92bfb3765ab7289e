package dev.ash.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class JsonLinesWriterTest {
    @Property(tries = 200)
    void writtenValuesCanBeReadBack(@ForAll("values") List<String> values) throws IOException {
        var out = new ByteArrayOutputStream();
        var writer = new JsonLinesWriter(out);
        for (var value : values) {
            var padded = RawJson.of(" " + value + " ").toBytes();
            writer.write(new RawJson(padded, 1, padded.length - 2));
        }

        assertThat(read(out)).isEqualTo(values.stream().map(RawJson::of).toList());
    }

    @Test
    void concurrentWritersDoNotInterleave() throws Exception {
        // Writes byte by byte with yields in between, so that interleaved lines would be detected.
        var bytes = new ByteArrayOutputStream();
        var writer = new JsonLinesWriter(new ByteByByteStream(bytes));
        var expected = new HashSet<RawJson>();
        var tasks = new ArrayList<Callable<Void>>();
        for (int i = 0; i < 50; i++) {
            var value = RawJson.string(("line " + i + " ").repeat(20));
            expected.add(value);
            tasks.add(
                    () -> {
                        writer.write(value);
                        return null;
                    });
        }

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(tasks)) {
                done.get();
            }
        }

        assertThat(Set.copyOf(read(bytes))).isEqualTo(expected);
    }

    @Provide
    Arbitrary<List<String>> values() {
        return TextArbitraries.json().list().ofMaxSize(6);
    }

    private static List<RawJson> read(ByteArrayOutputStream out) throws IOException {
        var reader = new JsonLinesReader(new ByteArrayInputStream(out.toByteArray()), 1 << 20);
        var lines = new ArrayList<RawJson>();
        for (var line = reader.next(); line != null; line = reader.next()) {
            lines.add(line);
        }
        return lines;
    }

    private static final class ByteByByteStream extends java.io.OutputStream {
        private final ByteArrayOutputStream target;

        ByteByByteStream(ByteArrayOutputStream target) {
            this.target = target;
        }

        @Override
        public void write(int b) {
            target.write(b);
            Thread.yield();
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            for (int i = offset; i < offset + length; i++) {
                write(bytes[i]);
            }
        }
    }
}
