package dev.ash.protocol.bridge;

import dev.ash.protocol.bridge.BridgeCommand.Configure;
import dev.ash.protocol.bridge.BridgeCommand.Exec;
import dev.ash.protocol.bridge.BridgeCommand.Interrupt;
import dev.ash.protocol.bridge.BridgeCommand.Query;
import dev.ash.protocol.bridge.BridgeCommand.Resume;
import dev.ash.protocol.bridge.BridgeCommand.Shutdown;
import dev.ash.protocol.bridge.BridgeEvent.Done;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.bridge.BridgeEvent.Failed;
import dev.ash.protocol.bridge.BridgeEvent.Message;
import dev.ash.protocol.bridge.BridgeEvent.Ready;
import dev.ash.protocol.bridge.BridgeEvent.TurnStarted;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Commands and events to and from their line of JSON (without the newline). Fields and kinds that
 * are not in the plain protocol are optional, so that either end may meet a peer without them.
 */
public final class BridgeProtocol {
    public static RawJson encode(BridgeCommand command) {
        var json = JsonWriter.object();
        switch (command) {
            case Query(var prompt, var sessionId, var turnId, var options) -> {
                json.put("cmd", "query").put("prompt", prompt).put("sessionId", sessionId);
                json.put("turnId", turnId);
                if (options.includePartialMessages()) {
                    json.put("includePartialMessages", true);
                }
                json.put("model", options.model()).put("maxTurns", options.maxTurns());
                json.put("maxBudgetUsd", options.maxBudgetUsd()).put("effort", options.effort());
                json.put("thinking", options.thinking());
                json.put("outputFormat", options.outputFormat());
            }
            case Resume(var sessionId) -> json.put("cmd", "resume").put("sessionId", sessionId);
            case Interrupt() -> json.put("cmd", "interrupt");
            case Shutdown() -> json.put("cmd", "shutdown");
            case Configure(var sessionId, var config) -> {
                json.put("cmd", "configure").put("sessionId", sessionId);
                json.put("engine", config.engine()).put("model", config.model());
                json.put("systemPrompt", config.systemPrompt());
                json.put("systemPromptMode", config.systemPromptMode());
                json.put("permissionMode", config.permissionMode());
                json.put("mcpServers", config.mcpServers()).put("subagents", config.subagents());
                json.put("initialAgent", config.initialAgent());
                json.put("allowedTools", config.allowedTools());
                json.put("disallowedTools", config.disallowedTools());
                json.put("betas", config.betas()).put("env", config.env());
            }
            case Exec(var id, var text, var timeoutMs) ->
                    json.put("cmd", "exec")
                            .put("id", id)
                            .put("command", text)
                            .put("timeout", timeoutMs);
            case BridgeCommand.Unknown(var kind) -> json.put("cmd", kind);
        }
        return json.end();
    }

    public static RawJson encode(EventFrame frame) {
        var json = JsonWriter.object();
        switch (frame.event()) {
            case Ready(var sandboxId, var nonce, var engine) ->
                    place(json.put("ev", "ready"), frame)
                            .put("sandboxId", sandboxId)
                            .put("nonce", nonce)
                            .put("engine", engine);
            case Message(var data) -> place(json.put("ev", "message"), frame).put("data", data);
            case Failed(var error) -> place(json.put("ev", "error"), frame).put("error", error);
            case Done(var sessionId) ->
                    place(json.put("ev", "done"), frame).put("sessionId", sessionId);
            case TurnStarted(var origin) ->
                    place(json.put("ev", "turn_started"), frame).put("origin", origin);
            case ExecResult(var id, var exitCode, var stdout, var stderr) ->
                    place(json.put("ev", "exec_result"), frame)
                            .put("id", id)
                            .put("exitCode", exitCode)
                            .put("stdout", stdout)
                            .put("stderr", stderr);
            case BridgeEvent.Unknown(var kind) -> place(json.put("ev", kind), frame);
        }
        return json.end();
    }

    private static JsonWriter place(JsonWriter json, EventFrame frame) {
        if (frame.n() > 0) {
            json.put("n", frame.n());
        }
        return json.put("turnId", frame.turnId());
    }

    public static BridgeCommand decodeCommand(RawJson line) throws MalformedJsonException {
        var json = JsonObject.parse(line);
        var kind = json.requireString("cmd");
        return switch (kind) {
            case "query" ->
                    new Query(
                            json.raw("prompt")
                                    .orElseThrow(
                                            () ->
                                                    new MalformedJsonException(
                                                            "query has no prompt")),
                            json.requireString("sessionId"),
                            orNull(json, "turnId"),
                            turnOptions(json));
            case "resume" -> new Resume(json.requireString("sessionId"));
            case "interrupt" -> new Interrupt();
            case "shutdown" -> new Shutdown();
            case "configure" -> new Configure(json.requireString("sessionId"), engineConfig(json));
            case "exec" ->
                    new Exec(
                            json.string("id").orElse(""),
                            json.requireString("command"),
                            json.number("timeout").orElse(0));
            default -> new BridgeCommand.Unknown(kind);
        };
    }

    public static EventFrame decodeEvent(RawJson line) throws MalformedJsonException {
        var json = JsonObject.parse(line);
        var kind = json.requireString("ev");
        BridgeEvent event =
                switch (kind) {
                    case "ready" ->
                            new Ready(
                                    orNull(json, "sandboxId"),
                                    orNull(json, "nonce"),
                                    orNull(json, "engine"));
                    case "message" ->
                            new Message(
                                    json.raw("data")
                                            .orElseThrow(
                                                    () ->
                                                            new MalformedJsonException(
                                                                    "message has no data"))
                                            .onOneLine());
                    case "error" -> new Failed(json.requireString("error"));
                    case "done" -> new Done(json.string("sessionId").orElse(""));
                    case "turn_started" -> new TurnStarted(json.string("origin").orElse("engine"));
                    case "exec_result" ->
                            new ExecResult(
                                    json.string("id").orElse(""),
                                    json.integer("exitCode").orElse(-1),
                                    json.string("stdout").orElse(""),
                                    json.string("stderr").orElse(""));
                    default -> new BridgeEvent.Unknown(kind);
                };
        return new EventFrame(json.number("n").orElse(0), orNull(json, "turnId"), event);
    }

    private static TurnOptions turnOptions(JsonObject json) throws MalformedJsonException {
        var maxTurns = json.integer("maxTurns");
        return new TurnOptions(
                json.isTrue("includePartialMessages"),
                orNull(json, "model"),
                maxTurns.isPresent() ? (Integer) maxTurns.getAsInt() : null,
                decimal(json, "maxBudgetUsd"),
                orNull(json, "effort"),
                json.raw("thinking").orElse(null),
                json.raw("outputFormat").orElse(null));
    }

    private static EngineConfig engineConfig(JsonObject json) throws MalformedJsonException {
        return new EngineConfig(
                orNull(json, "engine"),
                orNull(json, "model"),
                orNull(json, "systemPrompt"),
                orNull(json, "systemPromptMode"),
                orNull(json, "permissionMode"),
                json.raw("mcpServers").orElse(null),
                json.raw("subagents").orElse(null),
                orNull(json, "initialAgent"),
                json.strings("allowedTools"),
                json.strings("disallowedTools"),
                json.strings("betas"),
                json.stringMap("env"));
    }

    private static @Nullable String orNull(JsonObject json, String name)
            throws MalformedJsonException {
        return json.string(name).orElse(null);
    }

    private static @Nullable Double decimal(JsonObject json, String name)
            throws MalformedJsonException {
        var value = json.raw(name);
        if (value.isEmpty()) {
            return null;
        }
        try {
            var number = Double.valueOf(value.get().toString());
            if (Double.isFinite(number)) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new MalformedJsonException("expected a number " + name);
    }

    private BridgeProtocol() {}
}
