package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.rpc.RpcException;
import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls to the CLI about its thread, except for starting turns. */
final class ThreadCalls {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LIST_TIMEOUT = Duration.ofSeconds(10);

    private final RpcPeer peer;
    private final String threadId;

    ThreadCalls(RpcPeer peer, String threadId) {
        this.peer = peer;
        this.threadId = threadId;
    }

    /** Interrupts a turn without waiting. */
    void interrupt(String turnId) {
        var params = params().put("turnId", turnId).end();
        Thread.ofVirtual().start(() -> callIgnoringFailure("turn/interrupt", params));
    }

    /**
     * Sends a message to the model in this turn. The request is written when this returns, so that
     * the CLI reads it before later requests; does not wait for the result.
     */
    void steer(String turnId, String text) {
        var params = params().put("expectedTurnId", turnId).name("input").open('[');
        var line = params.value(CodexInput.text(text)).close(']').end();
        try {
            var call = peer.send("turn/steer", line);
            Thread.ofVirtual().start(() -> awaitResult("turn/steer", call));
        } catch (RpcException e) {
            logFailure("turn/steer", e);
        }
    }

    /** Sends a message to the model in this turn, and returns the response of the CLI. */
    RawJson steerAndWait(@Nullable String turnId, RawJson input) throws EngineException {
        if (turnId == null) {
            throw new EngineException("The turn has not started yet");
        }
        var params = params().put("expectedTurnId", turnId).put("input", input).end();
        try {
            return peer.call("turn/steer", params, TIMEOUT);
        } catch (RpcException e) {
            throw new EngineException("Codex did not accept the message: " + e.message());
        }
    }

    /** Terminates the commands that outlive an interrupted turn. */
    void terminateCommands() {
        callIgnoringFailure("thread/backgroundTerminals/clean", params().end());
    }

    void requireNoCommands() throws EngineException {
        try {
            var list = peer.call("thread/backgroundTerminals/list", params().end(), LIST_TIMEOUT);
            var commands = JsonObject.parse(list).raw("data");
            if (commands.isPresent() && !JsonObject.elements(commands.get()).isEmpty()) {
                throw new EngineException("The engine has a command running in the background");
            }
        } catch (RpcException | MalformedJsonException e) {
            throw new EngineException(
                    "Cannot list the background commands of Codex: " + e.getMessage());
        }
    }

    /** Calls a method whose failure is harmless, for example because the turn has ended. */
    private void callIgnoringFailure(String method, RawJson params) {
        try {
            awaitResult(method, peer.send(method, params));
        } catch (RpcException e) {
            logFailure(method, e);
        }
    }

    private static void awaitResult(String method, RpcPeer.Call call) {
        try {
            call.await(TIMEOUT);
        } catch (RpcException e) {
            logFailure(method, e);
        }
    }

    private static void logFailure(String method, RpcException e) {
        System.err.println("bridge: codex rejected " + method + ": " + e.message());
    }

    private JsonWriter params() {
        return JsonWriter.object().put("threadId", threadId);
    }
}
