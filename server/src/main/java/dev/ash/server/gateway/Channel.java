package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.Set;

/** Serves the requests and subscriptions of an admitted connection. */
interface Channel extends AutoCloseable {
    /** Replaces the capabilities that the device has declared. */
    void setCapabilities(Set<Capability> declared);

    void receive(DeviceMessageType type, GatewayFrame frame) throws MalformedJsonException;

    /** Called when the device has received all frames sent before the ping with this number. */
    void pong(long number);

    @Override
    void close();
}
