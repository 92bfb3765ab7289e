package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.jspecify.annotations.Nullable;

/** Adapts Jetty's WebSockets. Jetty negotiates the compression of messages. */
final class JettySockets {
    /** Long: handlers detect idle connections earlier. */
    private static final Duration IDLE = Duration.ofMinutes(5);

    private final Sockets sockets;

    private JettySockets(Sockets sockets) {
        this.sockets = sockets;
    }

    /** Handles upgrades to these WebSockets, and passes all other requests to {@code other}. */
    static Handler before(Handler other, Sockets sockets, Server server) {
        if (sockets.paths().isEmpty()) {
            return other;
        }
        var upgrades = WebSocketUpgradeHandler.from(server, new JettySockets(sockets)::mount);
        upgrades.setHandler(other);
        return upgrades;
    }

    private void mount(ServerWebSocketContainer container) {
        container.setMaxTextMessageSize(Sockets.MAX_UNAUTHENTICATED_MESSAGE);
        container.setMaxBinaryMessageSize(Sockets.MAX_UNAUTHENTICATED_MESSAGE);
        // Frames are passed on as they arrive, so the message size limits memory. Messages of the
        // server are split at this size.
        container.setMaxFrameSize(Sockets.MAX_MESSAGE);
        container.setAutoFragment(true);
        container.setIdleTimeout(IDLE);
        sockets.paths().forEach(path -> container.addMapping(path, this::open));
    }

    private @Nullable JettySocket open(
            ServerUpgradeRequest request,
            ServerUpgradeResponse response,
            org.eclipse.jetty.util.Callback callback) {
        try {
            return new JettySocket(sockets.accept(toSocketRequest(request)));
        } catch (ApiException e) {
            Response.writeError(request, response, callback, HttpStatus.FORBIDDEN_403, e.message());
            return null;
        }
    }

    private static SocketRequest toSocketRequest(Request request) {
        Map<String, List<String>> headers = new HashMap<>();
        for (var field : request.getHeaders()) {
            var values =
                    headers.computeIfAbsent(
                            field.getName().toLowerCase(Locale.ROOT), _ -> new ArrayList<>());
            values.add(field.getValue() == null ? "" : field.getValue());
        }
        var uri = request.getHttpURI();
        return new SocketRequest(
                peer(request), request.isSecure(), uri.getHost(), uri.getAuthority(), headers);
    }

    private static InetAddress peer(Request request) {
        return request.getConnectionMetaData().getRemoteSocketAddress()
                        instanceof InetSocketAddress address
                ? address.getAddress()
                : InetAddress.ofLiteral("0.0.0.0");
    }

    /** Public because Jetty calls it by reflection. */
    public static final class JettySocket implements Session.Listener.AutoDemanding {
        private final SocketHandler handler;

        JettySocket(SocketHandler handler) {
            this.handler = handler;
        }

        @Override
        public void onWebSocketOpen(Session session) {
            handler.opened(new OpenSocket(session));
        }

        @Override
        public void onWebSocketText(String text) {
            handler.text(text);
        }

        @Override
        public void onWebSocketBinary(ByteBuffer bytes, Callback callback) {
            callback.succeed();
            handler.binary();
        }

        @Override
        public void onWebSocketPong(ByteBuffer payload) {
            if (payload.remaining() == Long.BYTES) {
                handler.pong(payload.getLong(payload.position()));
            }
        }

        @Override
        public void onWebSocketError(Throwable cause) {
            handler.closed();
        }

        @Override
        public void onWebSocketClose(int status, String reason, Callback callback) {
            handler.closed();
            callback.succeed();
        }
    }

    private record OpenSocket(Session session) implements Socket {
        @Override
        public void send(String text, Runnable sent) {
            session.sendText(text, Callback.from(sent, _ -> disconnect()));
        }

        @Override
        public void ping(long number) {
            session.sendPing(ByteBuffer.allocate(Long.BYTES).putLong(0, number), Callback.NOOP);
        }

        @Override
        public void acceptLargeMessages() {
            session.setMaxTextMessageSize(Sockets.MAX_MESSAGE);
        }

        @Override
        public void close(int status, String reason) {
            session.close(status, reason, Callback.NOOP);
        }

        @Override
        public void disconnect() {
            session.disconnect();
        }
    }
}
