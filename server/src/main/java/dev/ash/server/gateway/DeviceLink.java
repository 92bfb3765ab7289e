package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;

/** Sends frames to a device, independently of the transport. */
interface DeviceLink {
    /** Returns immediately. A device that does not read its frames is eventually disconnected. */
    void send(GatewayFrame frame);

    /** Sends a frame that is already serialized. */
    void send(String text);

    /** Waits until most of the frames have been written to the network. */
    void awaitCapacity() throws InterruptedException;

    /** Sends a ping after all earlier frames; its pong has the same number. */
    void ping(long number);

    void close(String reason);
}
