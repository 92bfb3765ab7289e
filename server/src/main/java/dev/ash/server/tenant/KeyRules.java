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

/** Checks what a client wants a new key to be. */
final class KeyRules {
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

    /** With those that the named ones include. */
    static Set<Scope> scopes(List<String> names) {
        var scopes = new ArrayList<Scope>();
        for (var name : names) {
            scopes.add(Scope.ofWire(name).orElseThrow(KeyRules::wrongScopes));
        }
        if (scopes.isEmpty()) {
            throw wrongScopes();
        }
        return Scope.included(scopes);
    }

    private static ApiException wrongScopes() {
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
            // refused below
        }
        throw ApiException.invalid(
                "expiresAt", "must be a time in the future such as 2031-05-01T12:00:00Z");
    }

    private KeyRules() {}
}
