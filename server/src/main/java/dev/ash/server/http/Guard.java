package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.identity.Identity;
import org.jspecify.annotations.Nullable;

/** Tells who calls, and stops those who call too often or guess. */
final class Guard {
    static final int WRONG_KEYS_PER_MINUTE = 60;

    private final Bearer bearer;
    private final RateLimit wrongKeys =
            new RateLimit(WRONG_KEYS_PER_MINUTE, System::nanoTime); // of an address
    private final RateLimit requests; // of a key
    private final int requestsPerMinute;

    Guard(Bearer bearer, int requestsPerMinute) {
        this.bearer = bearer;
        this.requestsPerMinute = requestsPerMinute;
        this.requests = new RateLimit(requestsPerMinute, System::nanoTime);
    }

    /** A key that is right passes whatever others at its address do: they may share a proxy. */
    Identity caller(@Nullable String authorization, String address) {
        var caller = identified(authorization, address);
        if (!requests.take(caller.id())) {
            throw new ApiException(
                    ErrorCode.RATE_LIMITED,
                    "This key made more than %,d requests in a minute; go on more slowly, or raise ASH_RATE_LIMIT_PER_MINUTE"
                            .formatted(requestsPerMinute));
        }
        return caller;
    }

    private Identity identified(@Nullable String authorization, String address) {
        try {
            return bearer.caller(authorization);
        } catch (ApiException e) {
            if (e.code() == ErrorCode.UNAUTHORIZED && !wrongKeys.take(address)) {
                throw new ApiException(
                        ErrorCode.RATE_LIMITED,
                        "Too many requests without a right key from your address; wait a minute");
            }
            throw e;
        }
    }
}
