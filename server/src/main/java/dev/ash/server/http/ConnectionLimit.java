package dev.ash.server.http;

import java.net.InetAddress;

/** Limits the connections of an address, before any bytes are read from them. */
public interface ConnectionLimit {
    /** Returns true and counts the connection, or returns false to close it. */
    boolean opened(InetAddress peer);

    /** Called when a counted connection has closed. */
    void closed(InetAddress peer);
}
