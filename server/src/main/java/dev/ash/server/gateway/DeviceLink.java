package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;

/** The way back to a device, whatever carries it. */
interface DeviceLink {
    /** Returns at once; a device that does not read is cut off in the end. */
    void send(GatewayFrame frame);

    /** The same for a frame that is text already. */
    void send(String text);

    /** Returns once little of what was sent still waits for the device to read it. */
    void awaitRoom() throws InterruptedException;

    /** A ping behind all that was sent, whose pong repeats the number. */
    void ping(long number);

    void close(String reason);
}
