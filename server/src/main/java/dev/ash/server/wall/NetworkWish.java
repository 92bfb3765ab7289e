package dev.ash.server.wall;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.egress.model.request.ProviderTools;
import dev.ash.server.egress.policy.HostPattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which hosts someone wants a session to reach: {@code "open"}, {@code "closed"}, or {@code
 * {"allow":["registry.example.com","*.example.org"]}}.
 */
public record NetworkWish(List<String> allow, boolean open) {
    public static final NetworkWish CLOSED = new NetworkWish(List.of(), false);

    private static final int MAX_HOSTS = 1000;
    private static final String FORM =
            "must be \"closed\", \"open\" or {\"allow\":[\"host\", \"*.host\", …],"
                    + "\"providerTools\":[\"web_search\", …]}, with either field or both";

    public NetworkWish {
        allow = List.copyOf(allow);
    }

    /** Checks that the patterns are such. */
    public static NetworkWish allowing(String field, List<String> patterns) {
        if (patterns.size() > MAX_HOSTS) {
            throw ApiException.invalid(field, "must name at most %,d hosts".formatted(MAX_HOSTS));
        }
        for (var pattern : patterns) {
            try {
                HostPattern.parse(pattern);
            } catch (IllegalArgumentException e) {
                throw ApiException.invalid(field, String.valueOf(e.getMessage()));
            }
        }
        return new NetworkWish(patterns, false);
    }

    /** Null if it says nothing about hosts. */
    public static @Nullable NetworkWish parse(String field, RawJson json) {
        try {
            if (!json.toString().startsWith("\"")) {
                var wish = JsonObject.parse(json);
                if (wish.raw("allow").isEmpty()) {
                    if (wish.raw("providerTools").isPresent()) {
                        return null;
                    }
                    throw ApiException.invalid(field, FORM);
                }
                return allowing(field, wish.strings("allow"));
            }
            return switch (json.toString()) {
                case "\"closed\"" -> CLOSED;
                case "\"open\"" -> new NetworkWish(List.of(), true);
                default -> throw ApiException.invalid(field, FORM);
            };
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(field, FORM);
        }
    }

    /** The {@code providerTools} of the same value; null if it has none. */
    public static @Nullable List<String> providerTools(String field, RawJson json) {
        try {
            if (json.toString().startsWith("\"")) {
                return json.toString().equals("\"closed\"") ? List.of() : null;
            }
            var wish = JsonObject.parse(json);
            return wish.raw("providerTools").isEmpty()
                    ? null
                    : ProviderTools.checked(wish.strings("providerTools"));
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(field, FORM);
        } catch (IllegalArgumentException e) {
            throw ApiException.invalid(field, String.valueOf(e.getMessage()));
        }
    }
}
