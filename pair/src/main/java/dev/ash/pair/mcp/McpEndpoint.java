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
 * The tools of one peer over Streamable HTTP: one POST, one answer. Whoever calls has made sure by
 * a token that the client is that peer, so the session's id is no secret; it only tells connections
 * apart. One that is not known, because this server is young, is simply a new connection.
 */
public final class McpEndpoint implements AutoCloseable {
    private static final int MAX_CONNECTIONS = 32;
    private static final Pattern SESSION = Pattern.compile("[\\x21-\\x7e]{1,128}");

    /**
     * What to send: 200 with a body, 202 without. The session id goes into {@code Mcp-Session-Id};
     * {@code undelivered} is to be run if the body could not be written.
     */
    public record Answer(
            int status, String sessionId, Optional<byte[]> body, Runnable undelivered) {}

    private final PairTools tools;
    private final Map<String, McpConnection> connections = new LinkedHashMap<>(16, 0.75f, true);

    public McpEndpoint(PairTools tools) {
        this.tools = tools;
    }

    /** Blocks for as long as the call waits, so call it from a virtual thread. */
    public Answer post(@Nullable String sessionId, byte[] body) throws IOException {
        var session =
                sessionId != null && SESSION.matcher(sessionId).matches()
                        ? sessionId
                        : UUID.randomUUID().toString();
        var request = connection(session).read(body);
        var answer = request.answer();
        return new Answer(answer.isPresent() ? 200 : 202, session, answer, request::undelivered);
    }

    /** For DELETE: the client does not come back under this id. */
    public void end(String sessionId) {
        synchronized (connections) {
            var connection = connections.remove(sessionId);
            if (connection != null) {
                connection.close();
            }
        }
    }

    /**
     * The one that was used least lately makes room: its client gets unacknowledged messages again.
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
