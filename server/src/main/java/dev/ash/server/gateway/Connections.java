package dev.ash.server.gateway;

import dev.ash.server.gateway.GatewayConfig.Limits;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The connections that are open, by address and by device, and how many of them may be. */
final class Connections {
    private static final int PREFIX_BYTES = 8;

    private final Limits limits;
    private final Map<GatewaySocket, Entry> open = new HashMap<>(); // all guarded by this
    private final Map<String, Count> byAddress = new HashMap<>();
    private final Map<String, LinkedHashSet<GatewaySocket>> byDevice = new HashMap<>();

    /** Where a connection is from, and whose it is once that is known. */
    private record Entry(String address, @Nullable String device) {}

    private static final class Count {
        private int all;
        private int unauthenticated;
    }

    Connections(Limits limits) {
        this.limits = limits;
    }

    /** Counts a connection that has just opened, or says why there may not be another. */
    synchronized Optional<String> open(GatewaySocket socket, InetAddress from) {
        var address = address(from);
        var count = byAddress.computeIfAbsent(address, _ -> new Count());
        if (count.all >= limits.perAddress()) {
            return Optional.of(
                    "This address has %d connections, which is the limit; close one, or raise ASH_GATEWAY_MAX_CONNECTIONS_PER_ADDRESS"
                            .formatted(count.all));
        }
        if (count.unauthenticated >= limits.unauthenticatedPerAddress()) {
            return Optional.of(
                    "This address has %d connections that have not sent auth, which is the limit; try again in ten seconds, or raise ASH_GATEWAY_MAX_UNAUTHENTICATED_PER_ADDRESS"
                            .formatted(count.unauthenticated));
        }
        count.all++;
        count.unauthenticated++;
        open.put(socket, new Entry(address, null));
        return Optional.empty();
    }

    /** Whose connection it is; returns the device's oldest one if that is one too many. */
    synchronized Optional<GatewaySocket> authenticated(GatewaySocket socket, String device) {
        var entry = open.get(socket);
        if (entry == null || entry.device() != null) {
            return Optional.empty(); // it has closed meanwhile
        }
        count(entry).unauthenticated--;
        open.put(socket, new Entry(entry.address(), device));
        var own = byDevice.computeIfAbsent(device, _ -> new LinkedHashSet<>());
        own.add(socket);
        return own.size() > limits.perDevice() ? Optional.of(own.removeFirst()) : Optional.empty();
    }

    synchronized void closed(GatewaySocket socket) {
        var entry = open.remove(socket);
        if (entry == null) {
            return;
        }
        var count = count(entry);
        count.all--;
        if (entry.device() == null) {
            count.unauthenticated--;
        } else {
            forget(socket, entry.device());
        }
        if (count.all == 0) {
            byAddress.remove(entry.address());
        }
    }

    private Count count(Entry entry) {
        return byAddress.computeIfAbsent(entry.address(), _ -> new Count());
    }

    private void forget(GatewaySocket socket, String device) {
        var own = byDevice.get(device);
        if (own != null) {
            own.remove(socket);
            if (own.isEmpty()) {
                byDevice.remove(device);
            }
        }
    }

    synchronized List<GatewaySocket> all() {
        return List.copyOf(open.keySet());
    }

    synchronized List<GatewaySocket> of(String device) {
        return new ArrayList<>(byDevice.getOrDefault(device, new LinkedHashSet<>()));
    }

    /** What limits count as one: whoever has an IPv6 address has at least a /64 of them. */
    static String address(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), PREFIX_BYTES))
                : address.getHostAddress();
    }
}
