package dev.ash.server.gateway;

import java.net.InetAddress;

/**
 * The source of a connection, as far as it can be determined.
 *
 * @param address the address of the device, or of its proxy if only that is known
 */
record ConnectionSource(ConnectionMode mode, InetAddress address, boolean encrypted) {
    /** Returns whether it is over the public internet, which the user must acknowledge. */
    boolean isPublic() {
        return mode == ConnectionMode.DIRECT_PUBLIC;
    }

    String description() {
        return "%s (%s)".formatted(mode.description(), address.getHostAddress());
    }
}
