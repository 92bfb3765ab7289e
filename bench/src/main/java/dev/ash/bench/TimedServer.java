package dev.ash.bench;

import dev.ash.server.ServerMain;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Runs the server and records the publication time of each event in memory that is shared with the
 * benchmark: the number of events, then a time for each.
 */
public final class TimedServer {
    private static final int EVENTS = 1 << 16;

    public static void main(String[] args) throws Exception {
        var times = times(Path.of(System.getProperty("ash.bench.times")));
        KillPoint.probe(
                point -> {
                    if (point == KillPoint.EVENT_PUBLISHED) { // only on the writer's thread
                        int count = (int) times.get(0);
                        times.put(1 + count % EVENTS, System.nanoTime());
                        times.put(0, count + 1);
                    }
                });
        ServerMain.main(args);
    }

    static LongBuffer times(Path file) throws IOException {
        try (var channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, (1 + EVENTS) * 8L).asLongBuffer();
        }
    }

    private TimedServer() {}
}
