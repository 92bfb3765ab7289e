package dev.ash.server.approval;

import static dev.ash.server.approval.ApprovalFixture.approved;
import static dev.ash.server.approval.ApprovalFixture.approvedForSession;
import static dev.ash.server.approval.ApprovalFixture.call;
import static dev.ash.server.approval.ApprovalFixture.modified;
import static dev.ash.server.approval.ApprovalFixture.rejected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.event.EventType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApprovalsTest {
    private static final String LS = "{\"command\":\"ls\"}";

    @TempDir Path directory;
    private ApprovalFixture fixture;

    @BeforeEach
    void open() {
        fixture = new ApprovalFixture(directory);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void recordsQuestionAndDeliversAnswer() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);

        var asked = fixture.only();
        assertThat(asked.status()).isEqualTo("pending");
        assertThat(asked.turnId()).isEqualTo(bridge.turn.value());
        assertThat(fixture.approvals.countPending(fixture.session)).isOne();
        var decided = fixture.decide(asked, approved());
        fixture.runDeliveries();

        assertThat(decided.status()).isEqualTo("approved");
        assertThat(decided.scope()).isEqualTo("once");
        assertThat(bridge.received).containsExactly(new Approve("q1", true, null, null));
        assertThat(fixture.approvals.countPending(fixture.session)).isZero();
        var log = fixture.log(fixture.session);
        assertThat(log)
                .extracting(event -> event.type())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
        assertThat(log).allMatch(event -> event.belongsTo(bridge.turn));
        assertThat(ApprovalFixture.approval(log.get(0))).isEqualTo(asked);
        assertThat(ApprovalFixture.approval(log.get(1))).isEqualTo(decided);
    }

    @Test
    void deliversChangedInputAndRejectionMessage() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        fixture.clock.add(Duration.ofMillis(1));
        bridge.ask("q2", "Bash", "{\"command\":\"rm\"}");

        fixture.decide(fixture.pending().get(0), modified("{\"command\":\"ls -l\"}"));
        fixture.decide(fixture.pending().get(0), rejected("too dangerous"));
        fixture.runDeliveries();

        assertThat(bridge.received)
                .containsExactly(
                        new Approve("q1", true, RawJson.of("{\"command\":\"ls -l\"}"), null),
                        new Approve("q2", false, null, "too dangerous"));
    }

    @Test
    void acceptsFirstOfConcurrentAnswers() throws Exception {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        var asked = fixture.only();

        var accepted = new ArrayList<Approval>();
        var rejections = new ArrayList<ApiException>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<Approval>>();
            for (int i = 0; i < 64; i++) {
                var answer = i % 2 == 0 ? approved() : rejected("no " + i);
                Callable<Approval> decide = () -> fixture.decide(asked, answer);
                answers.add(threads.submit(decide));
            }
            for (var answer : answers) {
                try {
                    accepted.add(answer.get());
                } catch (ExecutionException e) {
                    rejections.add((ApiException) e.getCause());
                }
            }
        }
        fixture.runDeliveries();

        assertThat(accepted).containsExactly(fixture.only());
        assertThat(rejections)
                .hasSize(63)
                .allMatch(e -> e.code() == ErrorCode.APPROVAL_RESOLVED)
                .allMatch(e -> e.message().contains(accepted.getFirst().status()))
                .allMatch(
                        e -> e.message().contains("by api at " + accepted.getFirst().decidedAt()));
        assertThat(bridge.received).hasSize(1);
        assertThat(bridge.received.getFirst().allow())
                .isEqualTo(accepted.getFirst().status().equals("approved"));
        assertThat(fixture.logged())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
    }

    @Test
    void ignoresReplayedEvents() {
        var bridge = fixture.bridge();
        var question = call("q1", "Bash", LS);
        long n = bridge.ask(question);
        bridge.ask(question, n);

        assertThat(fixture.all()).hasSize(1);
        assertThat(bridge.received).isEmpty();

        fixture.decide(fixture.only(), approved());
        fixture.runDeliveries();
        bridge.ask(question, n);
        fixture.runDeliveries();

        assertThat(fixture.all()).hasSize(1);
        assertThat(bridge.received).hasSize(2);
        assertThat(bridge.accepted).hasSize(1);
        assertThat(fixture.logged())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
    }

    @Test
    void storesTwoRowsForConcurrentEqualCalls() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        bridge.ask("q2", "Bash", LS);

        assertThat(fixture.pending()).hasSize(2);
        fixture.decide(fixture.pending().getFirst(), approved());
        fixture.runDeliveries();

        assertThat(bridge.accepted).extracting(Approve::id).hasSize(1);
        assertThat(fixture.pending()).hasSize(1);
    }

    @Test
    void allowsRepeatedCallOnceAfterBridgeExit() {
        fixture.bridge().ask("q1", "Bash", LS);
        fixture.live.clear();
        fixture.decide(fixture.only(), approved());
        fixture.runDeliveries();

        var second = fixture.bridge();
        second.ask("other", "Bash", "{\"command\":\"ls /\"}");
        second.ask("tool", "Sh", LS);
        fixture.runDeliveries();
        assertThat(second.received).as("other calls").isEmpty();

        second.ask("q2", "Bash", LS);
        fixture.runDeliveries();
        assertThat(second.accepted).containsExactly(new Approve("q2", true, null, null));

        second.ask("q3", "Bash", LS);
        var third = fixture.bridge();
        third.ask("q4", "Bash", LS);
        fixture.runDeliveries();
        assertThat(second.accepted).as("only once").hasSize(1);
        assertThat(third.received).as("only once").isEmpty();
        assertThat(fixture.pending()).extracting(Approval::tool).contains("Bash");
    }

    @Test
    void deliversRejectionToRepeatedCall() {
        fixture.bridge().ask("q1", "Bash", LS);
        fixture.live.clear();
        fixture.decide(fixture.only(), rejected("no"));

        var second = fixture.bridge();
        second.ask("q2", "Bash", LS);
        fixture.runDeliveries();

        assertThat(second.accepted).containsExactly(new Approve("q2", false, null, "no"));
    }

    @Test
    void keepsQuestionOpenWhenAnotherBridgeRepeatsIt() {
        var first = fixture.bridge();
        first.ask("q1", "Bash", LS);
        var asked = fixture.only();
        var second = fixture.bridge();
        second.ask("q2", "Bash", LS);

        assertThat(fixture.only().id()).isEqualTo(asked.id());
        assertThat(fixture.only().turnId()).isEqualTo(second.turn.value());
        assertThat(fixture.only().toolUseId()).isEqualTo("use-q2");
        assertThat(fixture.log(fixture.session))
                .as("also logged for the new turn")
                .hasSize(2)
                .last()
                .matches(event -> event.belongsTo(second.turn))
                .matches(event -> event.type() == EventType.APPROVAL_REQUIRED);
        fixture.decide(asked, approved());
        fixture.runDeliveries();

        assertThat(first.received).isEmpty();
        assertThat(second.accepted).containsExactly(new Approve("q2", true, null, null));
    }

    @Test
    void deliversOnceWhenDecidedJustBeforeRebinding() {
        fixture.bridge().ask("q1", "Bash", LS);
        var second = fixture.bridge();

        fixture.decide(fixture.only(), approved()); // not delivered yet
        second.ask("q2", "Bash", LS);
        fixture.runDeliveries();

        assertThat(second.received).containsExactly(new Approve("q2", true, null, null));
    }

    @Test
    void deliversOnceWhenDecidedJustAfterRebinding() {
        fixture.bridge().ask("q1", "Bash", LS);
        var second = fixture.bridge();

        second.ask("q2", "Bash", LS);
        fixture.decide(fixture.only(), approved());
        fixture.runDeliveries();

        assertThat(second.received).containsExactly(new Approve("q2", true, null, null));
    }

    @Test
    void doesNotReassignDecisionSentToFailedBridge() {
        var first = fixture.bridge();
        first.ask("q1", "Bash", LS);
        first.broken = true;
        fixture.decide(fixture.only(), approved());
        fixture.runDeliveries();

        var second = fixture.bridge();
        second.ask("q2", "Bash", LS);
        fixture.runDeliveries();

        assertThat(second.received).isEmpty();
        assertThat(fixture.pending()).hasSize(1);
    }

    @Test
    void resendsAllDecisionsToAdoptedBridge() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        fixture.clock.add(Duration.ofMillis(1));
        bridge.ask("q2", "Bash", "{}");
        fixture.clock.add(Duration.ofMillis(1));
        bridge.ask("q3", "Bash", "{\"a\":1}");
        bridge.broken = true;
        fixture.decide(fixture.pending().get(0), approved());
        fixture.runDeliveries(); // spent, but lost in transit
        fixture.decide(fixture.pending().get(0), rejected("no")); // not even spent
        fixture.restart();
        bridge.broken = false;

        fixture.approvals.resendDecisions(bridge);
        fixture.approvals.resendDecisions(bridge);
        fixture.runDeliveries();

        assertThat(bridge.accepted)
                .containsExactlyInAnyOrder(
                        new Approve("q1", true, null, null), new Approve("q2", false, null, "no"));
        assertThat(bridge.open).containsOnlyKeys("q3");
        fixture.bridge().ask("q4", "Bash", LS);
        assertThat(fixture.pending()).as("q1 was spent").hasSize(2);
    }

    @Test
    void allowsAllCallsOfToolApprovedForSession() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        fixture.decide(fixture.only(), approvedForSession());
        bridge.ask("q2", "Bash", "{\"command\":\"rm\"}");
        bridge.ask("q3", "Write", LS);
        fixture.runDeliveries();

        assertThat(bridge.accepted).extracting(Approve::id).containsExactly("q1", "q2");
        assertThat(fixture.pending()).extracting(Approval::tool).containsExactly("Write");
        assertThat(fixture.all())
                .filteredOn(approval -> "rule".equals(approval.decidedBy()))
                .extracting(Approval::status)
                .containsExactly("approved");
        var elsewhere = fixture.new Bridge(SessionId.random(), "elsewhere");
        elsewhere.ask("q4", "Bash", LS);
        fixture.runDeliveries();
        assertThat(elsewhere.received).as("another session").isEmpty();
    }

    @Test
    void approvesRepeatedQuestionAfterToolIsApproved() {
        var first = fixture.bridge();
        first.ask("q1", "Bash", LS);
        fixture.clock.add(Duration.ofMillis(1));
        first.ask("q2", "Bash", "{}");
        fixture.decide(fixture.pending().getFirst(), approvedForSession());
        fixture.runDeliveries();
        assertThat(fixture.pending()).hasSize(1);

        var second = fixture.bridge();
        second.ask("q3", "Bash", "{}");
        fixture.runDeliveries();

        assertThat(second.accepted).containsExactly(new Approve("q3", true, null, null));
        assertThat(fixture.pending()).isEmpty();
    }

    @Test
    void doesNotApplyRulesToQuestions() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "AskUserQuestion", "{}");
        fixture.decide(fixture.only(), approvedForSession());
        bridge.ask(call("q2", Kind.QUESTION, "AskUserQuestion", "{}"));
        fixture.runDeliveries();

        assertThat(fixture.pending()).extracting(Approval::kind).containsExactly("question");
    }

    @Test
    void cancelsAbandonedQuestion() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        bridge.abandon("q1");
        bridge.abandon("never asked");

        assertThat(fixture.only().status()).isEqualTo("cancelled");
        assertThat(fixture.logged())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
        assertThatThrownBy(() -> fixture.decide(fixture.only(), approved()))
                .hasMessageContaining("already cancelled by engine at");
        var second = fixture.bridge();
        second.ask("q1", "Bash", LS);
        assertThat(fixture.pending()).as("a later call needs approval").hasSize(1);
    }

    @Test
    void dropsDecisionOfAbandonedCall() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        fixture.decide(fixture.only(), approved());
        bridge.abandon("q1");
        fixture.runDeliveries();
        var second = fixture.bridge();
        second.ask("q2", "Bash", LS);
        fixture.runDeliveries();

        assertThat(second.received).isEmpty();
        assertThat(fixture.pending()).hasSize(1);
    }

    @Test
    void rejectsDecisionOfAnotherTenant() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        var id = new ApprovalId(fixture.only().id());

        assertThatThrownBy(
                        () -> fixture.answers.decide(ApprovalFixture.OTHER, id, approved(), "api"))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.APPROVAL_NOT_FOUND));
        fixture.runDeliveries();

        assertThat(fixture.only().status()).isEqualTo("pending");
        assertThat(bridge.received).isEmpty();
    }

    @Test
    void keepsThousandOpenQuestionsAcrossRestart() {
        var bridge = fixture.bridge();
        for (int i = 0; i < 1000; i++) {
            bridge.ask("q" + i, "Bash", "{\"i\":" + i + "}");
        }
        fixture.restart();

        assertThat(fixture.pending()).hasSize(1000);
        assertThat(fixture.approvals.countPending(fixture.session)).isEqualTo(1000);
        fixture.pending().forEach(approval -> fixture.decide(approval, approved()));
        fixture.runDeliveries();

        assertThat(fixture.pending()).isEmpty();
        assertThat(bridge.open).isEmpty();
        assertThat(bridge.accepted).hasSize(1000).allMatch(Approve::allow);
    }
}
