package dev.ash.server.egress.http;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;

/** Resolves a host name to its addresses; tests replace it. */
@FunctionalInterface
public interface Resolver {
    List<InetAddress> resolve(String name) throws IOException;

    static Resolver system() {
        return name -> List.of(InetAddress.getAllByName(name));
    }
}
