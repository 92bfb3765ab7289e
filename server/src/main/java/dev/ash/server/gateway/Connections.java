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

/** Tracks open connections by address and by device, and enforces their limits. */
final class Connections {
    private static final int PREFIX_BYTES = 8;

    private final Limits limits;
    private final Map<GatewaySocket, Entry> open = new HashMap<>(); // all guarded by this
    private final Map<String, Count> byAddress = new HashMap<>();
    private final Map<String, LinkedHashSet<GatewaySocket>> byDevice = new HashMap<>();

    /** The address of a connection, and its device once that is authenticated. */
    private record Entry(String address, @Nullable String device) {}

    private static final class Count {
        private int all;
        private int unauthenticated;
    }

    Connections(Limits limits) {
        this.limits = limits;
    }

    /** Adds a new connection, or returns which limit its address exceeds. */
    synchronized Optional<String> add(GatewaySocket socket, InetAddress from) {
        var address = limitKey(from);
        var count = byAddress.computeIfAbsent(address, _ -> new Count());
        if (count.all >= limits.perAddress()) {
            return Optional.of(
                    "This address has reached the limit of %d connections; close one, or raise ASH_GATEWAY_MAX_CONNECTIONS_PER_ADDRESS"
                            .formatted(count.all));
        }
        if (count.unauthenticated >= limits.unauthenticatedPerAddress()) {
            return Optional.of(
                    "This address has reached the limit of %d unauthenticated connections; retry in ten seconds, or raise ASH_GATEWAY_MAX_UNAUTHENTICATED_PER_ADDRESS"
                            .formatted(count.unauthenticated));
        }
        count.all++;
        count.unauthenticated++;
        open.put(socket, new Entry(address, null));
        return Optional.empty();
    }

    /**
     * Sets the device of a connection. Returns the oldest connection of the device if it exceeds
     * its limit: a phone that lost its network often leaves unusable connections behind.
     */
    synchronized Optional<GatewaySocket> setDevice(GatewaySocket socket, String device) {
        var entry = open.get(socket);
        if (entry == null || entry.device() != null) {
            return Optional.empty(); // closed meanwhile
        }
        count(entry).unauthenticated--;
        open.put(socket, new Entry(entry.address(), device));
        var own = byDevice.computeIfAbsent(device, _ -> new LinkedHashSet<>());
        own.add(socket);
        return own.size() > limits.perDevice() ? Optional.of(own.removeFirst()) : Optional.empty();
    }

    synchronized void remove(GatewaySocket socket) {
        var entry = open.remove(socket);
        if (entry == null) {
            return;
        }
        var count = count(entry);
        count.all--;
        if (entry.device() == null) {
            count.unauthenticated--;
        } else {
            removeFromDevice(socket, entry.device());
        }
        if (count.all == 0) {
            byAddress.remove(entry.address());
        }
    }

    private Count count(Entry entry) {
        return byAddress.computeIfAbsent(entry.address(), _ -> new Count());
    }

    private void removeFromDevice(GatewaySocket socket, String device) {
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

    synchronized List<GatewaySocket> ofDevice(String device) {
        return new ArrayList<>(byDevice.getOrDefault(device, new LinkedHashSet<>()));
    }

    /** Returns the key for limits per address: a /64 for IPv6, which one client usually owns. */
    static String limitKey(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(Arrays.copyOf(address.getAddress(), PREFIX_BYTES))
                : address.getHostAddress();
    }
}
