package dev.ash.sdk;

import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One request. {@code target} is an encoded path with its query; {@code silence} is how long the
 * server may say nothing before the call is given up.
 */
record HttpCall(
        String method,
        String target,
        @Nullable RawJson body,
        String accept,
        Duration silence,
        @Nullable String lastEventId) {}
