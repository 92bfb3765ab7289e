package dev.ash.sdk;

import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request. {@code target} is the encoded path and query; {@code readTimeout} is the maximum
 * time without data from the server; {@code headers} are additional headers.
 */
record HttpRequest(
        String method,
        String target,
        @Nullable RawJson body,
        String accept,
        Duration readTimeout,
        Map<String, String> headers) {}
