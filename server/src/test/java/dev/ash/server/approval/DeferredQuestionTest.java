package dev.ash.server.approval;

import static dev.ash.server.approval.ApprovalFixture.approved;
import static dev.ash.server.approval.ApprovalFixture.modified;
import static dev.ash.server.approval.ApprovalFixture.rejected;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.event.NewEvent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests deferred questions, and decisions that are reported with the next prompt. */
class DeferredQuestionTest {
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

    private ApprovalFixture.Bridge bridgeWithQuestion(TurnId turn) {
        var bridge = fixture.bridge();
        bridge.turn = turn;
        fixture.turn(turn, "running");
        bridge.ask("q1", "Bash", LS);
        return bridge;
    }

    @Test
    void wakesSessionAndAnswersRepeatedCall() {
        var turn = TurnId.random();
        assertThat(fixture.defer(bridgeWithQuestion(turn), "q1", turn)).isFalse();
        fixture.live.clear();

        fixture.decide(fixture.only(), approved());
        fixture.runDeliveries();
        assertThat(fixture.woken).containsExactly(fixture.session);

        var second = fixture.bridge();
        second.turn = turn;
        second.ask("q1", "Bash", LS);
        fixture.runDeliveries();
        assertThat(second.accepted).containsExactly(new Approve("q1", true, null, null));
    }

    @Test
    void wakesSessionWithLiveBridge() {
        var turn = TurnId.random();
        var bridge = bridgeWithQuestion(turn);
        fixture.defer(bridge, "q1", turn);

        fixture.decide(fixture.only(), approved());
        fixture.runDeliveries();
        assertThat(fixture.woken).containsExactly(fixture.session);

        bridge.ask("q1", "Bash", LS); // the same bridge continues
        fixture.runDeliveries();
        assertThat(bridge.accepted).containsExactly(new Approve("q1", true, null, null));
    }

    @Test
    void releasesDecisionThatBridgeDeferredConcurrently() {
        var turn = TurnId.random();
        var bridge = bridgeWithQuestion(turn);
        bridge.open.clear();
        fixture.decide(fixture.only(), approved());
        fixture.runDeliveries(); // spent and sent while the bridge deferred the question
        assertThat(bridge.received).hasSize(1);

        assertThat(fixture.defer(bridge, "q1", turn)).as("is decided").isTrue();
        var second = fixture.bridge();
        second.ask("q1", "Bash", LS);
        fixture.runDeliveries();

        assertThat(second.accepted).containsExactly(new Approve("q1", true, null, null));
    }

    @Test
    void doesNotWakeSessionWhoseTurnEnded() {
        var turn = TurnId.random();
        bridgeWithQuestion(turn);
        fixture.turn(turn, "error");
        fixture.live.clear();

        fixture.decide(fixture.only(), approved());
        fixture.runDeliveries();

        assertThat(fixture.woken).isEmpty();
    }

    @Test
    void wakesSessionAfterRestart() {
        var turn = TurnId.random();
        fixture.defer(bridgeWithQuestion(turn), "q1", turn);
        fixture.live.clear();
        fixture.decide(fixture.only(), approved());
        fixture.restart();

        fixture.answers.start();
        fixture.runDeliveries();

        assertThat(fixture.woken).containsExactly(fixture.session);
    }

    @Test
    void retriesFailedWakes() {
        var turn = TurnId.random();
        fixture.defer(bridgeWithQuestion(turn), "q1", turn);
        fixture.live.clear();
        fixture.decide(fixture.only(), approved());
        fixture.pendingDeliveries.clear();
        var answers = fixture.answers;

        fixture.canWake = false;
        answers.wakeAll();
        fixture.runDeliveries();
        answers.retryWakes();
        fixture.runDeliveries();
        assertThat(fixture.woken).isEmpty();
        fixture.canWake = true;
        answers.retryWakes();
        fixture.runDeliveries();
        answers.retryWakes();
        fixture.runDeliveries();

        assertThat(fixture.woken).containsExactly(fixture.session);
    }

    @Test
    void cancelsOpenQuestionsWhenSessionEnds() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        bridge.ask("q2", "Bash", "{}");
        fixture.live.clear();
        fixture.decide(fixture.pending().getFirst(), approved());
        var log = new ArrayList<NewEvent>();

        fixture.events.append(
                fixture.session,
                log,
                (transaction, now) -> {
                    log.clear();
                    log.addAll(fixture.approvals.cancelOpen(transaction, fixture.session, now));
                });

        assertThat(fixture.pending()).isEmpty();
        assertThat(fixture.all())
                .extracting(Approval::status)
                .containsExactlyInAnyOrder("approved", "cancelled");
        assertThat(fixture.log(fixture.session)).hasSize(4);
        assertThat(ApprovalFixture.approval(fixture.log(fixture.session).getLast()).decidedBy())
                .isEqualTo("session");
        assertThat(fixture.pendingNotices()).isEmpty();
    }

    @Test
    void rejectsRepeatedCallOfInterruptedTurnOnly() {
        var turn = TurnId.random();
        fixture.defer(bridgeWithQuestion(turn), "q1", turn);
        assertThat(fixture.cancelOpen(turn)).hasSize(1);
        assertThat(fixture.only().status()).isEqualTo("cancelled");

        var second = fixture.bridge();
        second.ask("q7", "Bash", LS);
        fixture.runDeliveries();
        assertThat(second.received).as("another use of the tool").isEmpty();
        second.ask("q1", "Bash", LS);
        fixture.runDeliveries();
        assertThat(second.accepted)
                .containsExactly(
                        new Approve(
                                "q1",
                                false,
                                null,
                                "The turn was interrupted before an answer was given."));
    }

    @Test
    void voidsApprovalWhenTurnIsInterrupted() {
        var turn = TurnId.random();
        fixture.defer(bridgeWithQuestion(turn), "q1", turn);
        fixture.decide(fixture.only(), approved());

        assertThat(fixture.cancelOpen(turn)).isEmpty();
        var second = fixture.bridge();
        second.ask("q1", "Bash", LS);
        fixture.runDeliveries();

        assertThat(second.received).isEmpty();
    }

    @Test
    void reportsUndeliveredDecisionsOnceWithNextPrompt() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        bridge.ask("q2", "Write", "{\"text\":\"" + "x".repeat(1000) + "\"}");
        bridge.ask("q3", "Edit", "{}");
        bridge.ask("q4", "Read", "{}");
        bridge.ask(ApprovalFixture.call("q5", Kind.QUESTION, "AskUserQuestion", "{}"));
        fixture.live.clear();
        var asked = fixture.pending();
        var answers =
                Map.of(
                        "Bash", approved(),
                        "Write", rejected("not there"),
                        "Edit", modified("{\"a\":1}"),
                        "AskUserQuestion", modified("{\"answers\":{\"which?\":\"this\"}}"));
        for (var approval : asked) {
            var answer = answers.get(approval.tool());
            if (answer != null) {
                fixture.decide(approval, answer);
                fixture.clock.add(Duration.ofMillis(1));
            }
        }
        fixture.runDeliveries();

        var notices = fixture.pendingNotices();
        var text = DecisionNotice.text(notices);
        assertThat(notices).hasSize(4);
        assertThat(text)
                .contains("Bash with " + LS + " was approved: the same call will be allowed once.")
                .contains("was rejected. Message of the user: not there")
                .contains("Edit with {} was approved with a different input, {\"a\":1}")
                .contains("was answered: {\"answers\":{\"which?\":\"this\"}}")
                .contains("… (1011 characters)")
                .doesNotContain("Read");
        assertThat(text.length()).isLessThan(2000);

        fixture.markReported(notices);
        assertThat(fixture.pendingNotices()).isEmpty();
        assertThat(DecisionNotice.text(fixture.pendingNotices())).isEmpty();
        var second = fixture.bridge();
        second.ask("q9", "Bash", LS);
        fixture.runDeliveries();
        assertThat(second.accepted).as("allowed once").hasSize(1);
    }

    @Test
    void doesNotReportDecisionsForLiveBridge() {
        var bridge = fixture.bridge();
        bridge.ask("q1", "Bash", LS);
        fixture.decide(fixture.only(), approved());

        assertThat(fixture.pendingNotices()).isEmpty();
    }

    @Test
    void appliesChangedInputToRepeatedCall() {
        fixture.bridge().ask("q1", "Bash", LS);
        fixture.live.clear();
        fixture.decide(fixture.only(), modified("{\"command\":\"pwd\"}"));
        var second = fixture.bridge();
        second.ask("q2", "Bash", LS);
        fixture.runDeliveries();

        assertThat(second.accepted)
                .containsExactly(
                        new Approve("q2", true, RawJson.of("{\"command\":\"pwd\"}"), null));
    }
}
