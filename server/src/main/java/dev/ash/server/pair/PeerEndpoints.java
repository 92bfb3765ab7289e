package dev.ash.server.pair;

import dev.ash.pair.mcp.McpEndpoint;
import dev.ash.pair.mcp.PairTools;
import dev.ash.protocol.SessionId;
import dev.ash.server.egress.LocalTools;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The mailbox tools of the peers of running pairs, each reachable only from the peer's sandbox. */
public final class PeerEndpoints {
    private final Map<SessionId, Endpoint> endpoints = new ConcurrentHashMap<>();

    private record Endpoint(McpEndpoint endpoint) implements LocalTools {
        @Override
        public Response post(Optional<String> session, byte[] body) throws IOException {
            var response = endpoint.post(session.orElse(null), body);
            return new Response(
                    response.status(),
                    response.sessionId(),
                    response.body(),
                    response.onUndelivered());
        }
    }

    public Optional<LocalTools> of(SessionId session) {
        return Optional.ofNullable(endpoints.get(session));
    }

    void open(SessionId session, PairTools tools) {
        close(session);
        endpoints.put(session, new Endpoint(new McpEndpoint(tools)));
    }

    void close(SessionId session) {
        var endpoint = endpoints.remove(session);
        if (endpoint != null) {
            endpoint.endpoint().close();
        }
    }
}
