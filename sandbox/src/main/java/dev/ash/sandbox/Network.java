package dev.ash.sandbox;

import dev.ash.sandbox.launch.Launch.NetworkAccess;

/** The network access of a sandbox. */
public enum Network {
    /** Only the egress proxy of the server, through a Unix socket. */
    CLOSED(NetworkAccess.NONE),

    /** The network of the host. */
    OPEN(NetworkAccess.HOST);

    final NetworkAccess access;

    Network(NetworkAccess access) {
        this.access = access;
    }
}
