package dev.ash.bridge.codex;

import dev.ash.bridge.codex.CodexQuestion.Form;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.OpenQuestions;
import dev.ash.bridge.engine.Turn;
import dev.ash.bridge.engine.UnansweredQuestions;
import dev.ash.bridge.rpc.RpcMessage;
import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Answers the questions of one process: by the {@link CodexRules}, or by a person. */
final class CodexQuestions {
    private static final RawJson NO_PERMISSIONS = RawJson.of("{\"permissions\":{}}");
    private static final RawJson NO_ANSWERS = RawJson.of("{\"answers\":{}}");

    private final CodexRules rules;
    private final EngineSink sink;
    private final UnansweredQuestions unanswered;
    private final RpcPeer peer;

    /**
     * Sends a message to the model in the turn with that id. Called before the answer is written,
     * so that the model is called once with both.
     */
    private final BiConsumer<String, String> steer;

    private final OpenQuestions<CodexQuestion> open;

    CodexQuestions(
            CodexRules rules,
            EngineSink sink,
            UnansweredQuestions unanswered,
            RpcPeer peer,
            BiConsumer<String, String> steer) {
        this.rules = rules;
        this.sink = sink;
        this.unanswered = unanswered;
        this.peer = peer;
        this.steer = steer;
        this.open = new OpenQuestions<>(sink);
    }

    /** Handles a request; returns false if its method is unknown. */
    boolean request(RawJson id, RpcMessage request, @Nullable Turn turn, ItemTranslator translator)
            throws MalformedJsonException {
        var params = request.params();
        switch (request.method()) {
            case "item/commandExecution/requestApproval", "item/fileChange/requestApproval" -> {
                var call = translator.openCall(params.string("itemId").orElse(""));
                decide(id, Form.DECISION, params, turn, call.orElse(null));
            }
            case "mcpServer/elicitation/request" ->
                    decide(
                            id,
                            Form.ELICITATION,
                            params,
                            turn,
                            mcpCall(params, translator).orElse(null));
            case "item/tool/requestUserInput" -> askInput(id, params, turn);
            case "item/permissions/requestApproval" -> peer.sendResult(id, NO_PERMISSIONS);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Finds the call of an elicitation: the request does not contain its id, but it is open. */
    private static Optional<ToolCall> mcpCall(JsonObject params, ItemTranslator translator)
            throws MalformedJsonException {
        var meta = params.object("_meta").orElse(params);
        if (!meta.string("codex_approval_kind").orElse("").equals("mcp_tool_call")) {
            return Optional.empty(); // a form of the MCP server, which cannot be shown
        }
        var server = "mcp__" + params.string("serverName").orElse("") + "__";
        var input = meta.raw("tool_params").orElse(RawJson.EMPTY_OBJECT);
        return translator.openCalls().stream()
                .filter(call -> call.tool().startsWith(server) && call.input().equals(input))
                .reduce((_, later) -> later);
    }

    private void decide(
            RawJson id, Form form, JsonObject params, @Nullable Turn turn, @Nullable ToolCall call)
            throws MalformedJsonException {
        var verdict =
                call == null ? CodexRules.Verdict.DENY : rules.verdict(call.tool(), call.command());
        switch (verdict) {
            case ALLOW -> respond(id, form, true);
            case DENY -> {
                if (call != null) {
                    sendRemark(params, rules.denialMessage(call.tool()));
                }
                respond(id, form, false);
            }
            case ASK -> ask(id, form, params, turn, call);
        }
    }

    private void ask(
            RawJson id, Form form, JsonObject params, @Nullable Turn turn, @Nullable ToolCall call)
            throws MalformedJsonException {
        if (call != null) {
            var reason = params.string("reason").orElse(null);
            ask(id, form, params, turn, Approval.Kind.TOOL, call, reason);
        }
    }

    private void askInput(RawJson id, JsonObject params, @Nullable Turn turn)
            throws MalformedJsonException {
        if (rules.permissions() != PermissionMode.ASK) {
            peer.sendResult(id, NO_ANSWERS);
            return;
        }
        var itemId = params.string("itemId").orElse(id.toString());
        var json = JsonWriter.object().name("questions").open('[');
        for (var element : JsonObject.elements(params.raw("questions").orElse(RawJson.of("[]")))) {
            var question = JsonObject.parse(element);
            json.open('{').put("question", question.raw("question").orElse(null));
            json.put("header", question.raw("header").orElse(null));
            json.put("options", question.raw("options").orElse(RawJson.of("[]")));
            json.put("multiSelect", false).close('}');
        }
        var call = new ToolCall(itemId, "AskUserQuestion", json.close(']').end());
        ask(id, Form.INPUT, params, turn, Approval.Kind.QUESTION, call, null);
    }

    private void ask(
            RawJson requestId,
            Form form,
            JsonObject params,
            @Nullable Turn turn,
            Approval.Kind kind,
            ToolCall call,
            @Nullable String description)
            throws MalformedJsonException {
        // A call may ask more than once, each time for a part of it.
        var id = open.contains(call.id()) ? call.id() + "#" + requestId : call.id();
        var approval = new Approval(id, kind, call.tool(), call.input(), call.id(), description);
        var turnId = params.string("turnId").orElse(null);
        var question = new CodexQuestion(requestId, form, params, turn, turnId, approval);
        open.add(question);
        var decided = unanswered.take(approval);
        if (decided == null) {
            sink.ask(turn, approval);
        } else if (open.remove(question)) {
            answer(question, decided);
        }
    }

    private void respond(RawJson id, Form form, boolean yes) {
        peer.sendResult(id, CodexQuestion.answer(form, yes));
    }

    private void sendRemark(JsonObject params, String text) throws MalformedJsonException {
        var turnId = params.string("turnId");
        if (turnId.isPresent()) {
            steer.accept(turnId.get(), text);
        }
    }

    /** Answers a question; ignored if it is not open. Blocks while the CLI does not read. */
    void answer(Approve decision) {
        var question = open.remove(decision.id());
        if (question == null) {
            unanswered.decide(decision);
        } else {
            answer(question, decision);
        }
    }

    private void answer(CodexQuestion question, Approve decision) {
        try {
            var answer = question.answer(decision);
            var remark = question.remark(decision);
            if (remark != null && question.turnId() != null) {
                steer.accept(question.turnId(), remark);
            }
            peer.sendResult(question.requestId(), answer);
        } catch (MalformedJsonException e) {
            respond(question.requestId(), question.form(), false);
        }
    }

    /** Withdraws the question of a request that the CLI has resolved. */
    void resolved(RawJson requestId) {
        open.withdraw(question -> question.requestId().equals(requestId));
    }

    void withdrawAll() {
        open.withdrawAll();
    }

    /** Called after an unexpected exit: the questions may still be decided, and asked again. */
    void moveToUnanswered() {
        open.removeAllSilently().forEach(question -> unanswered.add(question.approval()));
    }
}
