package dev.ash.bridge.codex;

import dev.ash.bridge.codex.CodexQuestion.Form;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.OpenQuestions;
import dev.ash.bridge.engine.Turn;
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

/** What one process asks, and what it is answered: by the {@link CodexRules}, else by a person. */
final class CodexQuestions {
    private static final RawJson NOTHING = RawJson.of("{\"permissions\":{}}");
    private static final RawJson NO_ANSWERS = RawJson.of("{\"answers\":{}}");

    private final CodexRules rules;
    private final EngineSink sink;
    private final LostQuestions lost;
    private final RpcPeer peer;

    /**
     * Tells the model something in the turn of that id. Called before the answer is written: the
     * model is then called once, with both, instead of once for each.
     */
    private final BiConsumer<String, String> steer;

    private final OpenQuestions<CodexQuestion> open;

    CodexQuestions(
            CodexRules rules,
            EngineSink sink,
            LostQuestions lost,
            RpcPeer peer,
            BiConsumer<String, String> steer) {
        this.rules = rules;
        this.sink = sink;
        this.lost = lost;
        this.peer = peer;
        this.steer = steer;
        this.open = new OpenQuestions<>(sink);
    }

    /** False if the request is none that is known. */
    boolean request(RawJson id, RpcMessage request, @Nullable Turn turn, Translation items)
            throws MalformedJsonException {
        var params = request.params();
        switch (request.method()) {
            case "item/commandExecution/requestApproval", "item/fileChange/requestApproval" -> {
                var call = items.openCall(params.string("itemId").orElse(""));
                decide(id, Form.DECISION, params, turn, call.orElse(null));
            }
            case "mcpServer/elicitation/request" ->
                    decide(id, Form.ELICITATION, params, turn, mcpCall(params, items).orElse(null));
            case "item/tool/requestUserInput" -> input(id, params, turn);
            case "item/permissions/requestApproval" -> peer.answer(id, NOTHING);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** The CLI does not name the call, but asks while it is open. */
    private static Optional<ToolCall> mcpCall(JsonObject params, Translation items)
            throws MalformedJsonException {
        var meta = params.object("_meta").orElse(params);
        if (!meta.string("codex_approval_kind").orElse("").equals("mcp_tool_call")) {
            return Optional.empty(); // a form of the server's own, which nobody sees
        }
        var server = "mcp__" + params.string("serverName").orElse("") + "__";
        var input = meta.raw("tool_params").orElse(RawJson.EMPTY_OBJECT);
        return items.openCalls().stream()
                .filter(call -> call.tool().startsWith(server) && call.input().equals(input))
                .reduce((_, later) -> later);
    }

    private void decide(
            RawJson id, Form form, JsonObject params, @Nullable Turn turn, @Nullable ToolCall call)
            throws MalformedJsonException {
        var verdict =
                call == null ? CodexRules.Verdict.DENY : rules.verdict(call.tool(), call.command());
        switch (verdict) {
            case ALLOW -> tell(id, form, true);
            case DENY -> {
                if (call != null) {
                    remark(params, rules.refusal(call.tool()));
                }
                tell(id, form, false);
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

    private void input(RawJson id, JsonObject params, @Nullable Turn turn)
            throws MalformedJsonException {
        if (rules.permissions() != PermissionMode.ASK) {
            peer.answer(id, NO_ANSWERS);
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
        // One call may ask twice, each time for a part of it.
        var id = open.contains(call.id()) ? call.id() + "#" + requestId : call.id();
        var approval = new Approval(id, kind, call.tool(), call.input(), call.id(), description);
        var turnId = params.string("turnId").orElse(null);
        var question = new CodexQuestion(requestId, form, params, turn, turnId, approval);
        open.add(question);
        var decided = lost.take(approval);
        if (decided == null) {
            sink.ask(turn, approval);
        } else if (open.take(question)) {
            answer(question, decided);
        }
    }

    private void tell(RawJson id, Form form, boolean yes) {
        peer.answer(id, CodexQuestion.answer(form, yes));
    }

    private void remark(JsonObject params, String text) throws MalformedJsonException {
        var turnId = params.string("turnId");
        if (turnId.isPresent()) {
            steer.accept(turnId.get(), text);
        }
    }

    /** Ignored if nobody waits for it; blocks while the CLI does not read. */
    void answer(Approve decision) {
        var question = open.take(decision.id());
        if (question == null) {
            lost.decide(decision);
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
            peer.answer(question.requestId(), answer);
        } catch (MalformedJsonException e) {
            tell(question.requestId(), question.form(), false);
        }
    }

    /** The CLI does not wait for this request any more. */
    void resolved(RawJson requestId) {
        open.withdraw(question -> question.requestId().equals(requestId));
    }

    void withdrawAll() {
        open.withdrawAll();
    }

    /** The process died of itself: what it asked may yet be decided, and asked again. */
    void loseAll() {
        open.forgetAll().forEach(question -> lost.add(question.approval()));
    }
}
