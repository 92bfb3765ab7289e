package dev.ash.bench.session;

import dev.ash.bench.server.ApiConnection;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.BenchSession;
import java.io.IOException;

/** Measures single requests in milliseconds. */
final class Timer {
    static final String CREATE = "{\"agent\":\"quick\"}";

    /** A session and the duration of the request that created it. */
    record Created(BenchSession session, double millis) {}

    static Created create(BenchServer server, ApiConnection connection) throws IOException {
        return create(server, connection, "/api/sessions", CREATE);
    }

    static Created create(BenchServer server, ApiConnection connection, String path, String body)
            throws IOException {
        long begin = System.nanoTime();
        var response = connection.call("POST", path, body);
        double millis = (System.nanoTime() - begin) / 1e6;
        return new Created(server.sessionOf(response), millis);
    }

    /** Opens a connection, creates a session and closes the connection. */
    static Created createOnNewConnection(BenchServer server) throws IOException {
        long begin = System.nanoTime();
        try (var connection = server.connect()) {
            var response = connection.call("POST", "/api/sessions", CREATE);
            double millis = (System.nanoTime() - begin) / 1e6;
            return new Created(server.sessionOf(response), millis);
        }
    }

    static double millis(ApiConnection connection, String method, String path) throws IOException {
        long begin = System.nanoTime();
        connection.call(method, path, "");
        return (System.nanoTime() - begin) / 1e6;
    }

    private Timer() {}
}
