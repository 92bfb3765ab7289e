package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.HashMap;
import java.util.Map;

/**
 * The answers that an agent offers for a question, by their kind. An approval is given once:
 * whether it holds for the rest of the session is a rule of the server, not of the agent.
 */
record PermissionOptions(Map<String, String> idsByKind) {
    static final RawJson CANCELLED = RawJson.of("{\"outcome\":{\"outcome\":\"cancelled\"}}");

    private static final String ALLOW_ONCE = "allow_once";
    private static final String ALLOW_ALWAYS = "allow_always";

    /** Reads the parameters of {@code session/request_permission}. */
    static PermissionOptions of(JsonObject params) throws MalformedJsonException {
        var ids = new HashMap<String, String>();
        for (var option : AcpToolResult.objects(params.raw("options").orElse(null))) {
            var kind = option.string("kind").orElse("");
            ids.putIfAbsent(kind, option.string("optionId").orElse(""));
        }
        return new PermissionOptions(Map.copyOf(ids));
    }

    /** Returns the answer that allows this call. */
    RawJson allow() {
        return select(ALLOW_ONCE);
    }

    /** Returns the answer that allows this call, or also later ones if that is the only offer. */
    RawJson allowByRule() {
        return select(idsByKind.containsKey(ALLOW_ONCE) ? ALLOW_ONCE : ALLOW_ALWAYS);
    }

    RawJson reject() {
        return select("reject_once");
    }

    /** An agent that does not offer the answer is stopped by {@code cancelled}. */
    private RawJson select(String kind) {
        var id = idsByKind.get(kind);
        if (id == null) {
            return CANCELLED;
        }
        var json = JsonWriter.object().name("outcome").open('{');
        return json.put("outcome", "selected").put("optionId", id).close('}').end();
    }
}
