package dev.ash.server.tenant;

import dev.ash.protocol.ApiException;
import dev.ash.server.identity.Scope;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Validates the fields of requests that create API keys. */
final class ApiKeyRequests {
    private static final int MAX_LABEL = 100;
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

    static String label(@Nullable String label) {
        if (label == null) {
            return "";
        }
        if (label.length() > MAX_LABEL || label.chars().anyMatch(Character::isISOControl)) {
            throw ApiException.invalid(
                    "label",
                    "must have at most %d characters and no control characters"
                            .formatted(MAX_LABEL));
        }
        return label;
    }

    /** Returns the scopes and those that they include. */
    static Set<Scope> scopes(List<String> names) {
        var scopes = new ArrayList<Scope>();
        for (var name : names) {
            scopes.add(Scope.ofWire(name).orElseThrow(ApiKeyRequests::invalidScopes));
        }
        if (scopes.isEmpty()) {
            throw invalidScopes();
        }
        return Scope.included(scopes);
    }

    private static ApiException invalidScopes() {
        return ApiException.invalid(
                "scopes",
                "must be a list of at least one of %s, or absent for all"
                        .formatted(Scope.names(Scope.ALL)));
    }

    static @Nullable Long expiry(@Nullable String time, long now) {
        if (time == null) {
            return null;
        }
        try {
            var at = OffsetDateTime.parse(time).toInstant();
            if (at.isAfter(Instant.ofEpochMilli(now)) && !at.isAfter(LAST)) {
                return at.toEpochMilli();
            }
        } catch (DateTimeException e) {
            // reported below
        }
        throw ApiException.invalid(
                "expiresAt", "must be a time in the future such as 2031-05-01T12:00:00Z");
    }

    private ApiKeyRequests() {}
}
