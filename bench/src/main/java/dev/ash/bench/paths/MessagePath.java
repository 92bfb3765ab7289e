package dev.ash.bench.paths;

import dev.ash.bench.paths.Recorder.Window;
import java.io.IOException;

/**
 * A prompt by REST, to the first {@code message} frame of its stream. The engine then sleeps for a
 * second, so that the end of the turn is not part of the path.
 */
final class MessagePath implements Recorder.Operation {
    private static final String PROMPT = "{\"content\":\"demo: run sleep 1\"}";

    private final PathServer server;
    private final PathServer.Session session;

    MessagePath(PathServer server) throws IOException, InterruptedException {
        this.server = server;
        this.session = server.session("");
    }

    @Override
    public Window perform() throws IOException, InterruptedException {
        try (var lines = server.server().stream(session.path() + "/messages", PROMPT)) {
            long begin = lines.begin();
            while (true) {
                var line = lines.next();
                if (line.equals("event: message")) {
                    long end = System.nanoTime();
                    lines.readToEnd(); // so that the next turn does not wait for this one
                    return new Window(begin, end);
                }
            }
        }
    }
}
