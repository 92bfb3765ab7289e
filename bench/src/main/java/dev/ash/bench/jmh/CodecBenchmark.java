package dev.ash.bench.jmh;

import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Encodes and decodes one event of the bridge protocol. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class CodecBenchmark {
    private final EventFrame frame =
            new EventFrame(
                    7, SampleMessage.TURN, new BridgeEvent.Message(RawJson.of(SampleMessage.DATA)));
    private final RawJson line = BridgeProtocol.encode(frame);

    @Benchmark
    public RawJson encodeBridgeEvent() {
        return BridgeProtocol.encode(frame);
    }

    @Benchmark
    public EventFrame decodeBridgeEvent() throws MalformedJsonException {
        return BridgeProtocol.decodeEvent(line);
    }
}
