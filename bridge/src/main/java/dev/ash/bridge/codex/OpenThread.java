package dev.ash.bridge.codex;

import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.function.Consumer;

/** The open thread of a process; {@code model} is its default model. */
record OpenThread(
        String id,
        String model,
        ItemTranslator translator,
        CodexMessages messages,
        ThreadCalls calls) {
    /** Parses the response to an {@link OpenThreadRequest}. */
    static OpenThread of(RawJson answer, RpcPeer peer, Consumer<RawJson> out)
            throws MalformedJsonException {
        var result = JsonObject.parse(answer);
        var thread =
                result.object("thread").orElseThrow(() -> new MalformedJsonException("no thread"));
        var id = thread.requireString("id");
        var model = result.string("model").orElse("");
        var messages = new CodexMessages(id, model);
        var translator = new ItemTranslator(messages, out);
        return new OpenThread(id, model, translator, messages, new ThreadCalls(peer, id));
    }
}
