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
 * @param disk how the limit of disk space holds for new sandboxes: {@code image}, a file system of
 *     that size for each, or {@code watch}, by measuring about once a second; absent from servers
 *     that only measured
 */
public record Isolation(
        @FieldSchema(values = {"bubblewrap", "none"}) String kind,
        @FieldSchema(values = {"closed", "open", "host"}) String network,
        @Nullable String missing,
        @FieldSchema(values = {"memory", "pids", "cpu", "disk", "fileSize", "openFiles"})
                @Nullable List<String> limits,
        @FieldSchema(values = {"image", "watch"}) @Nullable String disk) {

    public Isolation {
        limits = limits == null ? null : List.copyOf(limits);
    }

    public Isolation(
            String kind, String network, @Nullable String missing, @Nullable List<String> limits) {
        this(kind, network, missing, limits, null);
    }
}
