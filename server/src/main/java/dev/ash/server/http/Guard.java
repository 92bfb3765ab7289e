package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import org.jspecify.annotations.Nullable;

/** Authenticates callers, checks their scopes and enforces rate limits. */
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

    /** Decides everything that needs neither the path's variables nor the body. */
    Validity admit(Endpoint endpoint, @Nullable String authorization, String address) {
        var caller = caller(authorization, address);
        if (endpoint.scope() != null && !caller.may(endpoint.scope())) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "This needs the scope \"%s\", and this key has %s; use another key, or have an admin create one"
                            .formatted(endpoint.scope().wire(), Scope.names(caller.scopes())));
        }
        if (endpoint.access() == Access.OPERATOR && !caller.tenant().equals(TenantId.DEFAULT)) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "Only keys of the operator's tenant \"default\" may do this, and this key belongs to the tenant \"%s\""
                            .formatted(caller.tenant()));
        }
        return new Validity(bearer.authenticator(), caller);
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
