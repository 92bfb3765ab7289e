package dev.ash.protocol.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The isolation of sandboxes from their host, as detected by a probe.
 *
 * @param kind {@code bubblewrap} or {@code none}
 * @param network {@code closed} if the egress proxy is the only way out, {@code open} if a policy
 *     shares the host's network, {@code host} if it cannot be closed
 * @param missing why the isolation is incomplete; absent if it is complete
 * @param limits the enforced limits: {@code memory}, {@code pids}, {@code cpu}, {@code disk},
 *     {@code fileSize}, {@code openFiles}; absent from servers without limits
 * @param disk how the disk limit of new sandboxes is enforced: {@code image}, by a file system of
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
