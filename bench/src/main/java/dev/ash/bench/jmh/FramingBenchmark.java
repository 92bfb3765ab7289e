package dev.ash.bench.jmh;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.JsonLinesWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.sdk.EventStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Splits and writes JSON lines, and parses event-stream frames: per message of 100. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class FramingBenchmark {
    private static final int MESSAGES = 100;
    private static final int MAX_LINE = 1 << 20;

    private final byte[] lines = (SampleMessage.DATA + "\n").repeat(MESSAGES).getBytes(UTF_8);
    private final byte[] frames =
            ("event: message\ndata: " + SampleMessage.DATA + "\nid: 12\n\n")
                    .repeat(MESSAGES)
                    .getBytes(UTF_8);
    private final RawJson message = RawJson.of(SampleMessage.DATA);

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long readJsonLine() throws IOException {
        var reader = new JsonLinesReader(new ByteArrayInputStream(lines), MAX_LINE);
        long bytes = 0;
        for (var line = reader.next(); line != null; line = reader.next()) {
            bytes += line.length();
        }
        return bytes;
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int writeJsonLine() throws IOException {
        var out = new ByteArrayOutputStream(lines.length);
        var writer = new JsonLinesWriter(out);
        for (int i = 0; i < MESSAGES; i++) {
            writer.write(message);
        }
        return out.size();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int parseEventStreamFrame() {
        int count = 0;
        try (var stream = EventStream.parseSseStream(new ByteArrayInputStream(frames))) {
            while (stream.nextFrame() != null) {
                count++;
            }
        }
        return count;
    }
}
