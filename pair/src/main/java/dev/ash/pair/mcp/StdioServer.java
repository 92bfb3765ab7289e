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
 * The tools over standard input and output, a message a line. Requests are answered in their order,
 * but for those that wait.
 */
public final class StdioServer {
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(2);

    private final McpConnection connection;
    private final LineInput in;
    private final JsonLinesWriter out;
    private final Set<Thread> waiting = ConcurrentHashMap.newKeySet();

    public StdioServer(McpConnection connection, InputStream in, OutputStream out) {
        this.connection = connection;
        this.in = new LineInput(in);
        this.out = new JsonLinesWriter(out);
    }

    /** Serves until the input ends, or nobody reads the output. */
    public void run() throws IOException {
        try {
            for (var line = in.next(); line != null; line = in.next()) {
                var request = connection.read(line);
                if (request.mayWait()) {
                    startWaiting(request);
                } else {
                    answer(request);
                }
            }
        } finally {
            connection.close();
            finish();
        }
    }

    private void startWaiting(McpRequest request) {
        var thread =
                Thread.ofVirtual()
                        .unstarted(
                                () -> {
                                    try {
                                        answer(request);
                                    } catch (IOException e) {
                                        // The reader of our answers is gone; the input will end.
                                    } finally {
                                        waiting.remove(Thread.currentThread());
                                    }
                                });
        waiting.add(thread);
        thread.start();
    }

    private void answer(McpRequest request) throws IOException {
        var answer = request.answer();
        if (answer.isPresent()) {
            try {
                out.write(new RawJson(answer.get()));
            } catch (IOException e) {
                request.undelivered();
                throw e;
            }
        }
    }

    private void finish() {
        try {
            for (var thread : waiting) {
                thread.join(LAST_ANSWERS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
