package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import org.jspecify.annotations.Nullable;

/**
 * A connection without TLS, which is refused. The refusal waits for the first message, to repeat
 * its id and to revoke the pairing token in it: anybody may have read that.
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
            context.devices().burn(fields.string("token").orElse(""));
        } catch (MalformedJsonException e) {
            // There is no token in it.
        }
        send(GatewayFrame.parseId(text), ConnectionRefusal.INSECURE);
        link.close(ConnectionRefusal.INSECURE.code());
    }

    /** The device has received the reason. */
    @Override
    public void authenticationOverdue() {
        link.close(ConnectionRefusal.INSECURE.code());
    }

    @Override
    public void refuse(ConnectionRefusal why) {
        send(null, why);
        link.close(why.code());
    }

    private void send(@Nullable String id, ConnectionRefusal why) {
        link.send(why.frame(context.server()).withId(id));
    }
}
