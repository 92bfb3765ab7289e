package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/**
 * What stands between a sandbox and its host, as seen by a probe, not as hoped for.
 *
 * @param kind {@code bubblewrap} or {@code none}
 * @param network {@code host} while sandboxes share the host's network
 * @param missing why it is weaker than it could be; absent where nothing is missing
 */
public record Isolation(String kind, String network, @Nullable String missing) {}
