package dev.ash.protocol.bridge;

import dev.ash.protocol.bridge.BridgeCommand.Ack;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeCommand.Attach;
import dev.ash.protocol.bridge.BridgeCommand.Configure;
import dev.ash.protocol.bridge.BridgeCommand.Continue;
import dev.ash.protocol.bridge.BridgeCommand.Exec;
import dev.ash.protocol.bridge.BridgeCommand.Interrupt;
import dev.ash.protocol.bridge.BridgeCommand.Query;
import dev.ash.protocol.bridge.BridgeCommand.Rest;
import dev.ash.protocol.bridge.BridgeCommand.Resume;
import dev.ash.protocol.bridge.BridgeCommand.Shutdown;
import dev.ash.protocol.bridge.BridgeCommand.Start;
import dev.ash.protocol.bridge.BridgeCommand.Steer;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.bridge.BridgeEvent.ApprovalGone;
import dev.ash.protocol.bridge.BridgeEvent.Attached;
import dev.ash.protocol.bridge.BridgeEvent.Done;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.bridge.BridgeEvent.Failed;
import dev.ash.protocol.bridge.BridgeEvent.Message;
import dev.ash.protocol.bridge.BridgeEvent.Ready;
import dev.ash.protocol.bridge.BridgeEvent.Resting;
import dev.ash.protocol.bridge.BridgeEvent.Steered;
import dev.ash.protocol.bridge.BridgeEvent.TurnStarted;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes commands and events as lines of JSON, without the newline. Fields and kinds
 * that are not in the plain protocol are optional, so that each side also works with a peer that
 * supports only the plain protocol.
 */
public final class BridgeProtocol {
    public static RawJson encode(BridgeCommand command) {
        var json = JsonWriter.object();
        switch (command) {
            case Query(var prompt, var sessionId, var turnId, var options) -> {
                json.put("cmd", "query").put("prompt", prompt).put("sessionId", sessionId);
                json.put("turnId", turnId);
                put(json, options);
            }
            case Resume(var sessionId) -> json.put("cmd", "resume").put("sessionId", sessionId);
            case Start() -> json.put("cmd", "start");
            case Interrupt(var turnId) -> json.put("cmd", "interrupt").put("turnId", turnId);
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
                json.put("forkAt", config.forkAt());
            }
            case Exec(var id, var text, var timeoutMs) ->
                    json.put("cmd", "exec")
                            .put("id", id)
                            .put("command", text)
                            .put("timeout", timeoutMs);
            case Attach(var after) -> json.put("cmd", "attach").put("after", after);
            case Ack(var n) -> json.put("cmd", "ack").put("n", n);
            case Approve(var id, var allow, var input, var message) ->
                    json.put("cmd", "approve")
                            .put("id", id)
                            .put("allow", allow)
                            .put("input", input)
                            .put("message", message);
            case Rest() -> json.put("cmd", "rest");
            case Continue(var sessionId, var turnId, var options) -> {
                json.put("cmd", "continue").put("sessionId", sessionId).put("turnId", turnId);
                put(json, options);
            }
            case Steer(var id, var turnId, var prompt) ->
                    json.put("cmd", "steer")
                            .put("id", id)
                            .put("turnId", turnId)
                            .put("prompt", prompt);
            case BridgeCommand.Unknown(var kind) -> json.put("cmd", kind);
        }
        return json.end();
    }

    private static void put(JsonWriter json, TurnOptions options) {
        if (options.includePartialMessages()) {
            json.put("includePartialMessages", true);
        }
        json.put("model", options.model()).put("maxTurns", options.maxTurns());
        json.put("maxBudgetUsd", options.maxBudgetUsd()).put("effort", options.effort());
        json.put("thinking", options.thinking());
        json.put("outputFormat", options.outputFormat());
    }

    public static RawJson encode(EventFrame frame) {
        var json = JsonWriter.object().put("ev", frame.event().ev());
        if (frame.n() > 0) {
            json.put("n", frame.n());
        }
        json.put("turnId", frame.turnId());
        frame.event().write(json);
        return json.end();
    }

    public static BridgeCommand decodeCommand(RawJson line) throws MalformedJsonException {
        var json = JsonObject.parse(line);
        var kind = json.requireString("cmd");
        return switch (kind) {
            case "query" ->
                    new Query(
                            prompt(json, kind),
                            json.requireString("sessionId"),
                            orNull(json, "turnId"),
                            turnOptions(json));
            case "resume" -> new Resume(json.requireString("sessionId"));
            case "start" -> new Start();
            case "interrupt" -> new Interrupt(orNull(json, "turnId"));
            case "shutdown" -> new Shutdown();
            case "configure" -> new Configure(json.requireString("sessionId"), engineConfig(json));
            case "exec" ->
                    new Exec(
                            json.string("id").orElse(""),
                            json.requireString("command"),
                            json.number("timeout").orElse(0));
            case "attach" -> new Attach(json.number("after").orElse(0));
            case "ack" -> new Ack(json.number("n").orElse(0));
            case "approve" ->
                    new Approve(
                            json.requireString("id"),
                            json.isTrue("allow"),
                            json.raw("input").orElse(null),
                            orNull(json, "message"));
            case "rest" -> new Rest();
            case "continue" ->
                    new Continue(
                            json.requireString("sessionId"),
                            json.requireString("turnId"),
                            turnOptions(json));
            case "steer" ->
                    new Steer(
                            json.requireString("id"),
                            json.requireString("turnId"),
                            prompt(json, kind));
            default -> new BridgeCommand.Unknown(kind);
        };
    }

    private static RawJson prompt(JsonObject json, String kind) throws MalformedJsonException {
        return json.raw("prompt")
                .orElseThrow(() -> new MalformedJsonException(kind + " has no prompt"));
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
                                    json.present("data")
                                            .orElseThrow(
                                                    () ->
                                                            new MalformedJsonException(
                                                                    "message has no data"))
                                            .onOneLine());
                    case "error" ->
                            new Failed(json.requireString("error"), json.isTrue("engineGone"));
                    case "done" -> new Done(json.string("sessionId").orElse(""));
                    case "turn_started" -> new TurnStarted(json.string("origin").orElse("engine"));
                    case "exec_result" ->
                            new ExecResult(
                                    json.string("id").orElse(""),
                                    json.integer("exitCode").orElse(-1),
                                    json.string("stdout").orElse(""),
                                    json.string("stderr").orElse(""));
                    case "attached" ->
                            new Attached(
                                    orNull(json, "turnId"),
                                    json.string("state").orElse("").equals("running"),
                                    json.number("last").orElse(0));
                    case "approval" ->
                            new Approval(
                                    json.requireString("id"),
                                    Approval.Kind.ofWire(json.string("kind").orElse("")),
                                    json.requireString("tool"),
                                    json.raw("input").orElse(RawJson.NULL).onOneLine(),
                                    orNull(json, "toolUseId"),
                                    orNull(json, "description"));
                    case "approval_gone" -> new ApprovalGone(json.requireString("id"));
                    case "resting" ->
                            new Resting(
                                    json.isTrue("ready"),
                                    orNull(json, "why"),
                                    orNull(json, "laidAside"));
                    case "steered" -> new Steered(json.requireString("id"), orNull(json, "why"));
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
                json.stringMap("env"),
                orNull(json, "forkAt"));
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
            // reported below
        }
        throw new MalformedJsonException("expected a number " + name);
    }

    private BridgeProtocol() {}
}
