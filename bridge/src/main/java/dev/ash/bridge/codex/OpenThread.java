package dev.ash.bridge.codex;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.function.Consumer;

/** The conversation of a process; {@code model} is what it uses where nobody says another. */
record OpenThread(String id, String model, Translation items, CodexMessages messages) {
    /** From the answer to a {@link ThreadRequest}. */
    static OpenThread of(RawJson answer, Consumer<RawJson> out) throws MalformedJsonException {
        var result = JsonObject.parse(answer);
        var thread =
                result.object("thread").orElseThrow(() -> new MalformedJsonException("no thread"));
        var id = thread.requireString("id");
        var model = result.string("model").orElse("");
        var messages = new CodexMessages(id, model);
        return new OpenThread(id, model, new Translation(messages, out), messages);
    }
}
