package dev.ash.server.http;

import java.net.InetAddress;

/** Decides whether an address may open another connection, before anything is read from it. */
public interface ConnectionLimit {
    /** Counts the connection and returns true, or returns false, and it is closed. */
    boolean opened(InetAddress peer);

    /** A connection that was counted has closed. */
    void closed(InetAddress peer);
}
