package dev.ash.bench.jmh;

import dev.ash.bench.server.WorkDirectory;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.EventType;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Database;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Appends events to a log and reads a page of it, in the process of the benchmark. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@NullUnmarked // JMH sets up the fields
public class EventLogBenchmark {
    private static final int GROUP = 100;

    private Path directory;
    private Database database;
    private SessionEvents events;
    private SessionId session;
    private List<NewEvent> one;
    private List<NewEvent> group;

    @Setup
    public void open() throws IOException {
        directory = Files.createTempDirectory(Path.of("").toAbsolutePath(), "log-");
        database = Database.open(directory.resolve("ash.db"));
        events = new SessionEvents(database, new EventStore(database), Clock.systemUTC());
        session = new SessionId(UUID.randomUUID().toString());
        var turn = new TurnId(UUID.randomUUID().toString());
        var event =
                NewEvent.of(session, turn, EventType.MESSAGE, RawJson.of(SampleMessage.DATA), null);
        one = List.of(event);
        group = Collections.nCopies(GROUP, event);
        append(group);
    }

    @TearDown
    public void close() throws IOException {
        database.close();
        WorkDirectory.delete(directory);
    }

    private int append(List<NewEvent> appended) {
        return events.append(session, appended, (_, _) -> {}).size();
    }

    /** One commit, with its flush of the disk. */
    @Benchmark
    public int appendOneEvent() {
        return append(one);
    }

    /** The share of each event of a group that is committed together. */
    @Benchmark
    @OperationsPerInvocation(GROUP)
    public int appendEventOfGroup() {
        return append(group);
    }

    @Benchmark
    @OperationsPerInvocation(GROUP)
    public long readEventOfPage() throws InterruptedException {
        long[] bytes = new long[1];
        events.read(
                session,
                0,
                GROUP,
                event -> {
                    bytes[0] += event.data().length();
                    return true;
                });
        return bytes[0];
    }
}
