package dev.ash.sdk;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.protocol.rest.Isolation;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link HealthResponse} without data binding, whose initialization takes half of the time of
 * a short command such as {@code ash health}.
 */
final class HealthReader {
    @SuppressWarnings("NullAway") // absent fields are null, as in all other responses
    static HealthResponse read(RawJson json) throws MalformedJsonException {
        var health = JsonObject.parse(json);
        return new HealthResponse(
                text(health, "status"),
                text(health, "version"),
                text(health, "coordinatorId"),
                number(health, "activeSessions"),
                integer(health, "activeSandboxes"),
                integer(health, "remoteRunners"),
                number(health, "uptime"),
                pool(member(health, "pool")),
                isolation(member(health, "isolation")),
                text(health, "engine"),
                integer(health, "orphans"),
                gateway(member(health, "gateway")));
    }

    private static HealthResponse.@Nullable Pool pool(@Nullable JsonObject pool)
            throws MalformedJsonException {
        return pool == null
                ? null
                : new HealthResponse.Pool(
                        integer(pool, "total"),
                        integer(pool, "cold"),
                        integer(pool, "warming"),
                        integer(pool, "warm"),
                        integer(pool, "waiting"),
                        integer(pool, "running"),
                        integer(pool, "maxCapacity"),
                        number(pool, "resumeWarmHits"),
                        number(pool, "resumeColdHits"),
                        number(pool, "preWarmHits"));
    }

    @SuppressWarnings("NullAway") // as above
    private static @Nullable Isolation isolation(@Nullable JsonObject isolation)
            throws MalformedJsonException {
        return isolation == null
                ? null
                : new Isolation(
                        text(isolation, "kind"),
                        text(isolation, "network"),
                        text(isolation, "missing"),
                        isolation.raw("limits").isPresent() ? isolation.strings("limits") : null,
                        text(isolation, "disk"));
    }

    @SuppressWarnings("NullAway") // as above
    private static HealthResponse.@Nullable Gateway gateway(@Nullable JsonObject gateway)
            throws MalformedJsonException {
        return gateway == null
                ? null
                : new HealthResponse.Gateway(
                        text(gateway, "status"),
                        text(gateway, "url"),
                        gateway.isTrue("reachable"),
                        text(gateway, "problem"));
    }

    private static @Nullable String text(JsonObject object, String name)
            throws MalformedJsonException {
        return object.raw(name).isPresent() ? object.string(name).orElse(null) : null;
    }

    private static @Nullable JsonObject member(JsonObject object, String name)
            throws MalformedJsonException {
        return object.object(name).orElse(null);
    }

    private static long number(JsonObject object, String name) throws MalformedJsonException {
        return object.number(name).orElse(0);
    }

    private static int integer(JsonObject object, String name) throws MalformedJsonException {
        return object.integer(name).orElse(0);
    }

    private HealthReader() {}
}
