package dev.ash.server.gateway;

import java.net.InetAddress;

/**
 * From where a device connects, as far as it can be known, and what follows from that.
 *
 * @param address the device's, or its proxy's where that is all that is known
 */
record Reach(ConnectionMode mode, InetAddress address, boolean encrypted) {
    String description() {
        return "%s (%s)".formatted(mode.description(), address.getHostAddress());
    }
}
