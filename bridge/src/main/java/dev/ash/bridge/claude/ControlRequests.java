package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.OpenQuestions;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Handles the requests of one CLI process. In the permission mode {@code ask}, tool calls arrive
 * through the hook that {@link ClaudeLaunch} installs; {@code can_use_tool} is sent for calls that
 * the hook passed to the CLI. Never respond to a hook with an error: the CLI would allow the call.
 */
final class ControlRequests {
    private final PermissionMode permissions;
    private final ToolRules rules;
    private final Consumer<RawJson> stdin;
    private final OpenQuestions<ClaudeQuestion> open;

    /** Calls that a person allowed at the hook: the CLI may ask again because of agent rules. */
    private final Set<String> allowed = ConcurrentHashMap.newKeySet();

    ControlRequests(
            PermissionMode permissions, ToolRules rules, EngineSink sink, Consumer<RawJson> stdin) {
        this.permissions = permissions;
        this.rules = rules;
        this.stdin = stdin;
        this.open = new OpenQuestions<>(sink);
    }

    void request(ClaudeLine line, @Nullable Turn turn) throws MalformedJsonException {
        var id = line.json().string("request_id").orElse("");
        var request = line.json().object("request").orElse(JsonObject.parse(RawJson.EMPTY_OBJECT));
        var subtype = request.string("subtype").orElse("");
        if (subtype.equals("can_use_tool")) {
            handlePermission(id, request, turn);
        } else if (subtype.equals("hook_callback") && permissions == PermissionMode.ASK) {
            handleHook(id, request, turn);
        } else {
            stdin.accept(ControlMessages.unsupported(id, subtype));
        }
    }

    private void handleHook(String requestId, JsonObject request, @Nullable Turn turn)
            throws MalformedJsonException {
        var call = request.object("input").orElse(request);
        var tool = call.string("tool_name").orElse("");
        var input = call.raw("tool_input").orElse(RawJson.EMPTY_OBJECT);
        switch (rules.verdict(tool)) {
            case ALLOW -> stdin.accept(ControlMessages.hookAllows(requestId, input));
            case DELEGATE -> stdin.accept(ControlMessages.hookPassesThrough(requestId));
            case ASK -> {
                var toolUseId = call.string("tool_use_id").orElse(null);
                var text = field(input, "description");
                ask(requestId, true, turn, Approval.Kind.TOOL, tool, input, toolUseId, text);
            }
        }
    }

    private void handlePermission(String requestId, JsonObject request, @Nullable Turn turn)
            throws MalformedJsonException {
        var tool = request.string("tool_name").orElse("");
        if (permissions != PermissionMode.ASK) {
            stdin.accept(ControlMessages.deny(requestId, Permissions.denialMessage(tool)));
            return;
        }
        var input = request.raw("input").orElse(RawJson.EMPTY_OBJECT);
        var toolUseId = request.string("tool_use_id").orElse(null);
        if (toolUseId != null && allowed.remove(toolUseId)) {
            stdin.accept(ControlMessages.allow(requestId, input));
            return;
        }
        var kind =
                switch (tool) {
                    case "AskUserQuestion" -> Approval.Kind.QUESTION;
                    case "ExitPlanMode" -> Approval.Kind.PLAN;
                    default -> Approval.Kind.TOOL;
                };
        var text = request.string("description").orElse(null);
        ask(requestId, false, turn, kind, tool, input, toolUseId, text);
    }

    private void ask(
            String requestId,
            boolean byHook,
            @Nullable Turn turn,
            Approval.Kind kind,
            String tool,
            RawJson input,
            @Nullable String toolUseId,
            @Nullable String description) {
        var id = toolUseId == null ? requestId : toolUseId;
        var approval = new Approval(id, kind, tool, input, toolUseId, description);
        open.ask(new ClaudeQuestion(requestId, byHook, turn, approval));
    }

    private static @Nullable String field(RawJson input, String name)
            throws MalformedJsonException {
        return input.byteAt(0) == '{' ? JsonObject.parse(input).string(name).orElse(null) : null;
    }

    /** Answers a question; ignored if it is not open. Blocks while the CLI does not read. */
    void answer(Approve decision) {
        var question = open.remove(decision.id());
        if (question == null) {
            return;
        }
        if (question.byHook() && decision.allow()) {
            allowed.add(decision.id());
        }
        stdin.accept(question.answer(decision));
    }

    /** Withdraws the question of a request that the CLI has cancelled. */
    void cancel(String requestId) {
        open.withdraw(question -> question.requestId().equals(requestId));
    }

    OpenQuestions<ClaudeQuestion> open() {
        return open;
    }

    /** Returns the open question, if there is exactly one and it came from the hook. */
    Optional<ClaudeQuestion> single() {
        return open.single().filter(ClaudeQuestion::byHook);
    }

    /** Makes the CLI defer this question; returns false if it has been answered. */
    boolean defer(ClaudeQuestion question) {
        if (!open.remove(question)) {
            return false;
        }
        stdin.accept(ControlMessages.hookDefers(question.requestId()));
        return true;
    }
}
