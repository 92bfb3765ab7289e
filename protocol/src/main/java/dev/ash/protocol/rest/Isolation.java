package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stands between a sandbox and its host, as seen by a probe, not as hoped for.
 *
 * @param kind {@code bubblewrap} or {@code none}
 * @param network {@code closed} where only the egress proxy leads out, {@code open} where the
 *     host's network is shared because a policy says so, {@code host} where it cannot be closed
 * @param missing why it is weaker than it could be; absent where nothing is missing
 * @param limits the names of those that are enforced: {@code memory}, {@code pids}, {@code cpu},
 *     {@code disk}, {@code fileSize}, {@code openFiles}; absent from servers that had none
 */
public record Isolation(
        String kind, String network, @Nullable String missing, @Nullable List<String> limits) {

    public Isolation {
        limits = limits == null ? null : List.copyOf(limits);
    }
}
