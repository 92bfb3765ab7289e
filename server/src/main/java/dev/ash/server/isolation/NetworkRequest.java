package dev.ash.server.isolation;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.egress.model.request.ProviderTools;
import dev.ash.server.egress.policy.HostPattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hosts that a client or an agent requests for a session: {@code "open"}, {@code "closed"}, or
 * {@code {"allow":["registry.example.com","*.example.org"]}}.
 */
public record NetworkRequest(List<String> allow, boolean open) {
    public static final NetworkRequest CLOSED = new NetworkRequest(List.of(), false);

    private static final int MAX_HOSTS = 1000;
    private static final String FORM =
            "must be \"closed\", \"open\" or {\"allow\":[\"host\", \"*.host\", …],"
                    + "\"providerTools\":[\"web_search\", …]}, with one or both fields";

    public NetworkRequest {
        allow = List.copyOf(allow);
    }

    /** Validates the patterns. */
    public static NetworkRequest allowing(String field, List<String> patterns) {
        if (patterns.size() > MAX_HOSTS) {
            throw ApiException.invalid(field, "must have at most %,d hosts".formatted(MAX_HOSTS));
        }
        for (var pattern : patterns) {
            try {
                HostPattern.parse(pattern);
            } catch (IllegalArgumentException e) {
                throw ApiException.invalid(field, String.valueOf(e.getMessage()));
            }
        }
        return new NetworkRequest(patterns, false);
    }

    /** Returns null if the value does not specify hosts. */
    public static @Nullable NetworkRequest parse(String field, RawJson json) {
        try {
            if (!json.toString().startsWith("\"")) {
                var request = JsonObject.parse(json);
                if (request.raw("allow").isEmpty()) {
                    if (request.raw("providerTools").isPresent()) {
                        return null;
                    }
                    throw ApiException.invalid(field, FORM);
                }
                return allowing(field, request.strings("allow"));
            }
            return switch (json.toString()) {
                case "\"closed\"" -> CLOSED;
                case "\"open\"" -> new NetworkRequest(List.of(), true);
                default -> throw ApiException.invalid(field, FORM);
            };
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(field, FORM);
        }
    }

    /** Returns the {@code providerTools} of the value; null if it has none. */
    public static @Nullable List<String> providerTools(String field, RawJson json) {
        try {
            if (json.toString().startsWith("\"")) {
                return json.toString().equals("\"closed\"") ? List.of() : null;
            }
            var request = JsonObject.parse(json);
            return request.raw("providerTools").isEmpty()
                    ? null
                    : ProviderTools.validate(request.strings("providerTools"));
        } catch (MalformedJsonException e) {
            throw ApiException.invalid(field, FORM);
        } catch (IllegalArgumentException e) {
            throw ApiException.invalid(field, String.valueOf(e.getMessage()));
        }
    }
}
