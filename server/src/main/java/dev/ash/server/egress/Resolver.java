package dev.ash.server.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Asks for the addresses of a name; a seam, so that tests can lie. */
@FunctionalInterface
interface Resolver {
    List<InetAddress> resolve(String name) throws IOException;

    static Resolver system() {
        return name -> List.of(InetAddress.getAllByName(name));
    }

    /** A literal is not looked up. */
    default List<InetAddress> addresses(Host host) throws IOException {
        return switch (host) {
            case Host.Literal(var address) -> List.of(address);
            case Host.Name(var name) -> {
                var found = resolve(name);
                if (found.isEmpty()) {
                    throw new UnknownHostException(name);
                }
                yield found;
            }
        };
    }
}
