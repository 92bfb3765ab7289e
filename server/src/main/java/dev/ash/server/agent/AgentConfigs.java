package dev.ash.server.agent;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.LinkedHashMap;

/**
 * Checks and merges the free-form configuration objects of agents. Merging is one level deep;
 * {@code null} removes a member.
 */
final class AgentConfigs {
    static RawJson check(RawJson config) {
        parse(config);
        return config;
    }

    static RawJson merge(RawJson current, RawJson change) {
        var members = new LinkedHashMap<String, RawJson>();
        var before = parse(current);
        before.names().forEach(name -> before.raw(name).ifPresent(v -> members.put(name, v)));
        var after = parse(change);
        for (var name : after.names()) {
            after.raw(name).ifPresentOrElse(v -> members.put(name, v), () -> members.remove(name));
        }
        var json = JsonWriter.object();
        members.forEach(json::put);
        return json.end();
    }

    private static JsonObject parse(RawJson config) {
        try {
            return JsonObject.parse(config);
        } catch (MalformedJsonException e) {
            throw ApiException.invalid("config", "must be a JSON object");
        }
    }

    private AgentConfigs() {}
}
