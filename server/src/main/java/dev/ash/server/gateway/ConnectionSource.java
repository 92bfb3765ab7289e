package dev.ash.server.gateway;

import java.net.InetAddress;

/**
 * Where a connection comes from, as far as it can be known.
 *
 * @param address the address of the device, or of its proxy if only that is known
 */
record ConnectionSource(ConnectionMode mode, InetAddress address, boolean encrypted) {
    /** Whether it comes over the open internet, which a person must acknowledge. */
    boolean isPublic() {
        return mode == ConnectionMode.DIRECT_PUBLIC;
    }

    String description() {
        return "%s (%s)".formatted(mode.description(), address.getHostAddress());
    }
}
