package dev.ash.server.pair;

import dev.ash.pair.mcp.McpEndpoint;
import dev.ash.pair.mcp.PairTools;
import dev.ash.protocol.SessionId;
import dev.ash.server.egress.LocalTools;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Where the peers of running pairs reach their mailbox: each from its own sandbox alone. */
public final class Desks {
    private final Map<SessionId, Desk> desks = new ConcurrentHashMap<>();

    private record Desk(McpEndpoint endpoint) implements LocalTools {
        @Override
        public Answer post(Optional<String> session, byte[] body) throws IOException {
            var answer = endpoint.post(session.orElse(null), body);
            return new Answer(
                    answer.status(), answer.sessionId(), answer.body(), answer.undelivered());
        }
    }

    public Optional<LocalTools> of(SessionId session) {
        return Optional.ofNullable(desks.get(session));
    }

    void open(SessionId session, PairTools tools) {
        close(session);
        desks.put(session, new Desk(new McpEndpoint(tools)));
    }

    void close(SessionId session) {
        var desk = desks.remove(session);
        if (desk != null) {
            desk.endpoint().close();
        }
    }
}
