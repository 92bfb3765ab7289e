package dev.ash.sdk;

import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request. {@code target} is an encoded path with its query; {@code silence} is how long the
 * server may say nothing before the call is given up; {@code headers} are those beyond the usual.
 */
record HttpCall(
        String method,
        String target,
        @Nullable RawJson body,
        String accept,
        Duration silence,
        Map<String, String> headers) {}
