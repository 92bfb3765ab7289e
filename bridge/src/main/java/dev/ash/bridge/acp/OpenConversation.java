package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;

/**
 * The conversation that a process has open.
 *
 * @param id the agent's id of its session
 * @param isRepeated whether the agent repeats the updates of earlier turns
 * @param response the response that opened it
 */
record OpenConversation(
        String id,
        boolean isRepeated,
        Optional<AcpChoice> models,
        Optional<AcpChoice> efforts,
        RawJson response) {
    static OpenConversation of(String id, boolean isRepeated, RawJson response)
            throws MalformedJsonException {
        var json = JsonObject.parse(response);
        return new OpenConversation(
                id,
                isRepeated,
                AcpChoice.model(json),
                AcpChoice.setting(json, "thought_level"),
                response);
    }

    boolean offersModel(String name) {
        return models.isPresent() && models.get().find(name).isPresent();
    }

    /** Returns the model that the agent reports at the start; empty if it reports none. */
    String initialModel() {
        return models.map(AcpChoice::current).orElse("");
    }
}
