package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.rpc.RpcException;
import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.time.Duration;

/** What the CLI is asked to do with its thread, besides turns. */
final class ThreadCalls {
    private static final Duration ATTEMPT = Duration.ofSeconds(5);
    private static final Duration LIST = Duration.ofSeconds(10);

    private final RpcPeer peer;
    private final String threadId;

    ThreadCalls(RpcPeer peer, String threadId) {
        this.peer = peer;
        this.threadId = threadId;
    }

    /** Does not wait. */
    void interrupt(String turnId) {
        var params = params().put("turnId", turnId).end();
        Thread.ofVirtual().start(() -> attempt("turn/interrupt", params));
    }

    /**
     * Tells the model something in this turn. The request is written when this returns, so that the
     * CLI reads it before whatever is written next; the result is not waited for.
     */
    void steer(String turnId, String text) {
        var params = params().put("expectedTurnId", turnId).name("input").open('[');
        var line = params.value(CodexInput.text(text)).close(']').end();
        try {
            var call = peer.begin("turn/steer", line);
            Thread.ofVirtual().start(() -> settle("turn/steer", call));
        } catch (RpcException e) {
            refused("turn/steer", e);
        }
    }

    /** Ends the commands that outlive an interrupted turn. */
    void endCommands() {
        attempt("thread/backgroundTerminals/clean", params().end());
    }

    void requireNoCommands() throws EngineException {
        try {
            var list = peer.call("thread/backgroundTerminals/list", params().end(), LIST);
            var commands = JsonObject.parse(list).raw("data");
            if (commands.isPresent() && !JsonObject.elements(commands.get()).isEmpty()) {
                throw new EngineException("The engine has a command running in the background");
            }
        } catch (RpcException | MalformedJsonException e) {
            throw new EngineException("Codex did not say what it runs: " + e.getMessage());
        }
    }

    /** For what need not succeed, as when the turn is over meanwhile. */
    private void attempt(String method, RawJson params) {
        try {
            settle(method, peer.begin(method, params));
        } catch (RpcException e) {
            refused(method, e);
        }
    }

    private static void settle(String method, RpcPeer.Call call) {
        try {
            call.await(ATTEMPT);
        } catch (RpcException e) {
            refused(method, e);
        }
    }

    private static void refused(String method, RpcException e) {
        System.err.println("bridge: codex refused " + method + ": " + e.message());
    }

    private JsonWriter params() {
        return JsonWriter.object().put("threadId", threadId);
    }
}
