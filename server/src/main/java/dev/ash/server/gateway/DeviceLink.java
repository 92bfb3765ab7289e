package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;

/** The way back to a device, whatever carries it. */
interface DeviceLink {
    /** Returns at once; a device that does not read is cut off in the end. */
    void send(GatewayFrame frame);

    /** A ping behind all that was sent, whose pong repeats the number. */
    void ping(long number);

    void close(String reason);
}
