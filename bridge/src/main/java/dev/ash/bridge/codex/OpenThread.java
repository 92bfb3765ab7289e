package dev.ash.bridge.codex;

import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.function.Consumer;

/** The conversation of a process; {@code model} is what it uses where nobody says another. */
record OpenThread(
        String id, String model, Translation items, CodexMessages messages, ThreadCalls calls) {
    /** From the answer to a {@link ThreadRequest}. */
    static OpenThread of(RawJson answer, RpcPeer peer, Consumer<RawJson> out)
            throws MalformedJsonException {
        var result = JsonObject.parse(answer);
        var thread =
                result.object("thread").orElseThrow(() -> new MalformedJsonException("no thread"));
        var id = thread.requireString("id");
        var model = result.string("model").orElse("");
        var messages = new CodexMessages(id, model);
        var items = new Translation(messages, out);
        return new OpenThread(id, model, items, messages, new ThreadCalls(peer, id));
    }
}
