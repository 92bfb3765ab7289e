package dev.ash.server.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;

/**
 * A listener that closes connections above a limit immediately after accepting them, so that
 * connections without a TLS handshake, a request or an upgrade count too.
 */
final class LimitedConnector extends ServerConnector {
    private final Map<EndPoint, InetAddress> counted = new ConcurrentHashMap<>();
    private volatile @Nullable ConnectionLimit limit;

    LimitedConnector(Server server, ConnectionFactory... factories) {
        super(server, 1, 1, factories);
    }

    /** Call before the listener starts. */
    void limit(ConnectionLimit connections) {
        limit = connections;
    }

    @Override
    protected void onEndPointOpened(EndPoint endPoint) {
        super.onEndPointOpened(endPoint);
        var current = limit;
        if (current == null
                || !(endPoint.getRemoteSocketAddress() instanceof InetSocketAddress remote)) {
            return;
        }
        if (current.opened(remote.getAddress())) {
            counted.put(endPoint, remote.getAddress());
        } else {
            endPoint.close();
        }
    }

    @Override
    protected void onEndPointClosed(EndPoint endPoint) {
        super.onEndPointClosed(endPoint);
        var address = counted.remove(endPoint);
        var current = limit;
        if (address != null && current != null) {
            current.closed(address);
        }
    }
}
