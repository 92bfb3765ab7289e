package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a connection without TLS. Waits for the first message, to return its id and to invalidate
 * the pairing token in it, which may have been intercepted.
 */
final class InsecureConnection implements Connection {
    private final ConnectionContext context;
    private final DeviceLink link;
    private volatile boolean hasReceived;

    InsecureConnection(ConnectionContext context, DeviceLink link) {
        this.context = context;
        this.link = link;
    }

    @Override
    public void opened() {}

    @Override
    public void firstMessageOverdue() {
        if (!hasReceived) {
            send(null, ConnectionRefusal.INSECURE);
        }
    }

    @Override
    public void received(String text) {
        hasReceived = true;
        try {
            var fields = GatewayFrame.parse(text).fields();
            context.devices().invalidatePairingToken(fields.string("token").orElse(""));
        } catch (MalformedJsonException e) {
            // Contains no token.
        }
        send(GatewayFrame.parseId(text), ConnectionRefusal.INSECURE);
        link.close(ConnectionRefusal.INSECURE.code());
    }

    @Override
    public void authenticationOverdue() { // the reason has been sent
        link.close(ConnectionRefusal.INSECURE.code());
    }

    @Override
    public void refuse(ConnectionRefusal refusal) {
        send(null, refusal);
        link.close(refusal.code());
    }

    private void send(@Nullable String id, ConnectionRefusal refusal) {
        link.send(refusal.frame(context.server()).withId(id));
    }
}
