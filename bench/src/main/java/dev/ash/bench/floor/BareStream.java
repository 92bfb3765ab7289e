package dev.ash.bench.floor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ash.bench.server.EventReader;
import dev.ash.bench.server.Installation;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;

/** A Jetty server without Ash, in its own process, that writes event frames in a loop. */
public final class BareStream implements AutoCloseable {
    private final Process process;
    private final int port;

    public BareStream() throws IOException {
        process =
                new ProcessBuilder(
                                List.of(
                                        Installation.java().toString(),
                                        "-cp",
                                        System.getProperty("java.class.path")
                                                + File.pathSeparator
                                                + Installation.codeSource(),
                                        BareStreamServer.class.getName()))
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        var line = out.readLine();
        if (line == null) {
            process.destroyForcibly();
            throw new IOException("the bare Jetty server did not start");
        }
        port = Integer.parseInt(line);
    }

    /** Reads a stream of deltas with frames of these sizes; returns the deltas per second. */
    public double perSecond(int deltas, int frameBytes) throws IOException {
        var request =
                "GET /%d/%d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".formatted(deltas, frameBytes);
        try (var reader = EventReader.open(port, request)) {
            long begin = 0;
            for (int i = 0; i < deltas; i++) {
                if (reader.awaitFrame("text_delta") < 0) {
                    throw new IOException("the bare stream has ended after %d deltas".formatted(i));
                }
                if (i == 0) {
                    begin = System.nanoTime();
                }
            }
            return (deltas - 1) * 1e9 / (System.nanoTime() - begin);
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
