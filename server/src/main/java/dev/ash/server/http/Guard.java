package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import org.jspecify.annotations.Nullable;

/** Authenticates callers, checks their scopes and enforces rate limits. */
final class Guard {
    static final int INVALID_KEYS_PER_MINUTE = 60;

    private final BearerAuthentication authentication;
    private final RateLimit invalidKeys =
            new RateLimit(INVALID_KEYS_PER_MINUTE, System::nanoTime); // by address
    private final RateLimit requests; // by key
    private final int requestsPerMinute;

    Guard(BearerAuthentication authentication, int requestsPerMinute) {
        this.authentication = authentication;
        this.requestsPerMinute = requestsPerMinute;
        this.requests = new RateLimit(requestsPerMinute, System::nanoTime);
    }

    /** Authenticates and authorizes the caller; needs neither path variables nor the body. */
    CallerValidity admit(Endpoint endpoint, @Nullable String authorization, String address) {
        var caller = authenticate(authorization, address);
        if (endpoint.scope() != null && !caller.has(endpoint.scope())) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "The scope \"%s\" is required, and this key has %s; use a key with that scope, or ask an administrator to create one"
                            .formatted(endpoint.scope().wire(), Scope.names(caller.scopes())));
        }
        if (endpoint.access() == Access.OPERATOR && !caller.tenant().equals(TenantId.DEFAULT)) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "This endpoint requires a key of the operator's tenant \"default\"; this key belongs to the tenant \"%s\""
                            .formatted(caller.tenant()));
        }
        return new CallerValidity(authentication.authenticator(), caller);
    }

    /** Accepts valid keys even if their address is over the limit: clients may share a proxy. */
    Identity authenticate(@Nullable String authorization, String address) {
        var caller = identify(authorization, address);
        if (!requests.tryAcquire(caller.id())) {
            throw new ApiException(
                    ErrorCode.RATE_LIMITED,
                    "Rate limit exceeded: this key made more than %,d requests in one minute; slow down, or raise ASH_RATE_LIMIT_PER_MINUTE"
                            .formatted(requestsPerMinute));
        }
        return caller;
    }

    private Identity identify(@Nullable String authorization, String address) {
        try {
            return authentication.authenticate(authorization);
        } catch (ApiException e) {
            if (e.code() == ErrorCode.UNAUTHORIZED && !invalidKeys.tryAcquire(address)) {
                throw new ApiException(
                        ErrorCode.RATE_LIMITED,
                        "Too many requests with an invalid API key from your address; retry in one minute");
            }
            throw e;
        }
    }
}
