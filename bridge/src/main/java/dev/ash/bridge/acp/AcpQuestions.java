package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.OpenQuestions;
import dev.ash.bridge.engine.UnansweredQuestions;
import dev.ash.bridge.rpc.RpcMessage;
import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers the questions of one process: by the {@link AcpRules}, or by a person. Collects the
 * messages to the model about its decisions, because an answer has no text.
 */
final class AcpQuestions {
    private static final String DECLINED = "The user did not approve this call.";

    private final AcpRules rules;
    private final EngineSink sink;
    private final UnansweredQuestions unanswered;
    private final RpcPeer peer;
    private final OpenQuestions<AcpQuestion> open;
    private final List<String> remarks = new ArrayList<>();
    private final List<String> denials = new ArrayList<>();

    AcpQuestions(AcpRules rules, EngineSink sink, UnansweredQuestions unanswered, RpcPeer peer) {
        this.rules = rules;
        this.sink = sink;
        this.unanswered = unanswered;
        this.peer = peer;
        this.open = new OpenQuestions<>(sink);
    }

    /** Handles a {@code session/request_permission} of this turn. */
    void request(RawJson id, RpcMessage request, AcpTurn turn) throws MalformedJsonException {
        var params = request.params();
        var options = PermissionOptions.of(params);
        var call =
                params.object("toolCall")
                        .orElseThrow(() -> new MalformedJsonException("expected a toolCall"));
        var use = turn.translator().requested(call, request.line());
        var verdict = rules.verdict(use.tool(), use.command());
        if (verdict != AcpRules.Verdict.ALLOW) {
            turn.translator().announce(use, request.line());
        }
        switch (verdict) {
            case ALLOW -> peer.sendResult(id, options.allowByRule());
            case DENY -> {
                var message = rules.denialMessage(use.tool());
                turn.translator().denied(use, message, request.line());
                add(denials, message);
                peer.sendResult(id, options.reject());
            }
            case ASK -> {
                var title = call.string("title").orElse(null);
                ask(id, options, use, turn, title, request.line());
            }
        }
    }

    private void ask(
            RawJson requestId,
            PermissionOptions options,
            AcpToolUse use,
            AcpTurn turn,
            @Nullable String title,
            RawJson line) {
        // A call may ask more than once, each time for a part of it.
        var id = open.contains(use.id()) ? use.id() + "#" + requestId : use.id();
        var approval =
                new Approval(id, Approval.Kind.TOOL, use.tool(), use.input(), use.id(), title);
        var question = new AcpQuestion(requestId, options, use, turn.turn(), approval, line);
        open.add(question);
        var decided = unanswered.take(approval);
        if (decided == null) {
            sink.ask(turn.turn(), approval);
        } else if (open.remove(question)) {
            answer(question, decided, turn);
        }
    }

    /** Answers a question; ignored if it is not open. Blocks while the agent does not read. */
    void answer(Approve decision, @Nullable AcpTurn turn) {
        var question = open.remove(decision.id());
        if (question == null || turn == null) {
            unanswered.decide(decision);
        } else {
            answer(question, decision, turn);
        }
    }

    private void answer(AcpQuestion question, Approve decision, AcpTurn turn) {
        if (question.allowedBy(decision)) {
            peer.sendResult(question.requestId(), question.options().allow());
            return;
        }
        var remark = question.remark(decision);
        if (remark != null) {
            add(remarks, remark);
        }
        var shown = decision.message() == null ? DECLINED : DECLINED + " " + decision.message();
        turn.translator().denied(question.use(), shown, question.line());
        peer.sendResult(question.requestId(), question.options().reject());
    }

    private synchronized void add(List<String> texts, String text) {
        texts.add(text);
    }

    /**
     * Returns and removes the message that the model needs to continue, or null. Denials by rules
     * are only included if the agent stopped because of them.
     */
    synchronized @Nullable String takeRemark(boolean includeDenials) {
        var all = new ArrayList<>(remarks);
        if (includeDenials) {
            all.addAll(denials);
        }
        remarks.clear();
        denials.clear();
        return all.isEmpty() ? null : String.join("\n\n", all);
    }

    /** Withdraws the open questions and answers them, as the protocol requires after a cancel. */
    void cancelAll() {
        for (var question : open.removeAllSilently()) {
            sink.withdrawQuestion(question.turn(), question.approval().id());
            peer.sendResult(question.requestId(), PermissionOptions.CANCELLED);
        }
    }

    /** Called after the exit of the agent. */
    void withdrawAll() {
        open.withdrawAll();
    }

    /** Called after an unexpected exit: the questions may still be decided, and asked again. */
    void moveToUnanswered() {
        open.removeAllSilently().forEach(question -> unanswered.add(question.approval()));
    }
}
