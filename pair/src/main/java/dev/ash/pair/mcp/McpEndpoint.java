package dev.ash.pair.mcp;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Serves the tools of one peer over Streamable HTTP: each POST returns one response. The caller has
 * authenticated the client as that peer, so session ids are not secret; they only distinguish
 * connections. An unknown id, such as one from before a restart, creates a new connection.
 */
public final class McpEndpoint implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 32;
    private static final Pattern SESSION = Pattern.compile("[\\x21-\\x7e]{1,128}");

    /**
     * The HTTP response: status 200 with a body, 202 without. The session id is sent as {@code
     * Mcp-Session-Id}; callers run {@code onUndelivered} if they cannot write the body.
     */
    public record Response(
            int status, String sessionId, Optional<byte[]> body, Runnable onUndelivered) {}

    private final PairTools tools;
    private final Map<String, McpConnection> connections = new LinkedHashMap<>(16, 0.75f, true);

    public McpEndpoint(PairTools tools) {
        this.tools = tools;
    }

    /**
     * Executes a request. Blocks while a call waits for messages, so call it from a virtual thread.
     */
    public Response post(@Nullable String sessionId, byte[] message) throws IOException {
        var session =
                sessionId != null && SESSION.matcher(sessionId).matches()
                        ? sessionId
                        : UUID.randomUUID().toString();
        var request = connection(session).read(message);
        var body = request.execute();
        return new Response(body.isPresent() ? 200 : 202, session, body, request::onUndelivered);
    }

    /** Closes the connection of a session, for DELETE. */
    public void closeSession(String sessionId) {
        synchronized (connections) {
            var connection = connections.remove(sessionId);
            if (connection != null) {
                connection.close();
            }
        }
    }

    /**
     * Evicts the least recently used connection; its client receives unacknowledged messages again.
     */
    private McpConnection connection(String session) throws IOException {
        synchronized (connections) {
            var connection = connections.get(session);
            if (connection == null) {
                connection = tools.connect();
                connections.put(session, connection);
                if (connections.size() > MAX_CONNECTIONS) {
                    Iterator<McpConnection> eldest = connections.values().iterator();
                    eldest.next().close();
                    eldest.remove();
                }
            }
            return connection;
        }
    }

    @Override
    public void close() {
        synchronized (connections) {
            connections.values().forEach(McpConnection::close);
            connections.clear();
        }
    }
}
