package dev.ash.pair.mcp;

import dev.ash.protocol.json.JsonLinesWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves the tools over standard input and output, one message per line. Executes requests in
 * order, except those that wait for messages.
 */
public final class StdioServer {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final McpConnection connection;
    private final LineInput in;
    private final JsonLinesWriter out;
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();

    public StdioServer(McpConnection connection, InputStream in, OutputStream out) {
        this.connection = connection;
        this.in = new LineInput(in);
        this.out = new JsonLinesWriter(out);
    }

    /** Serves until the input ends or the output is closed. */
    public void run() throws IOException {
        try {
            for (var line = in.next(); line != null; line = in.next()) {
                var request = connection.read(line);
                if (request.mayWait()) {
                    startWaiting(request);
                } else {
                    respond(request);
                }
            }
        } finally {
            connection.close();
            awaitWaitingRequests();
        }
    }

    private void startWaiting(McpRequest request) {
        var thread =
                Thread.ofVirtual()
                        .unstarted(
                                () -> {
                                    try {
                                        respond(request);
                                    } catch (IOException e) {
                                        // The client closed the output; the input ends next.
                                    } finally {
                                        waiting.remove(Thread.currentThread());
                                    }
                                });
        waiting.add(thread);
        thread.start();
    }

    private void respond(McpRequest request) throws IOException {
        var response = request.execute();
        if (response.isPresent()) {
            try {
                out.write(new RawJson(response.get()));
            } catch (IOException e) {
                request.onUndelivered();
                throw e;
            }
        }
    }

    private void awaitWaitingRequests() {
        try {
            for (var thread : waiting) {
                thread.join(CLOSE_TIMEOUT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
