package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.Set;

/** Serves the requests and subscriptions of an admitted connection. */
interface Channel extends AutoCloseable {
    /** The capabilities that the device declared last. */
    void capabilities(Set<Capability> declared);

    void receive(DeviceMessageType type, GatewayFrame frame) throws MalformedJsonException;

    /** A frame that was sent before the ping with this number has arrived. */
    void pong(long number);

    @Override
    void close();
}
