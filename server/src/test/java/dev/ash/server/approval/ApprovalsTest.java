package dev.ash.server.approval;

import static dev.ash.server.approval.World.approved;
import static dev.ash.server.approval.World.approvedForSession;
import static dev.ash.server.approval.World.call;
import static dev.ash.server.approval.World.modified;
import static dev.ash.server.approval.World.rejected;
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

    @TempDir Path folder;
    private World world;

    @BeforeEach
    void open() {
        world = new World(folder);
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void asksAPersonAndGivesTheEngineTheAnswer() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);

        var asked = world.only();
        assertThat(asked.status()).isEqualTo("pending");
        assertThat(asked.turnId()).isEqualTo(bridge.turn.value());
        assertThat(world.approvals.openOf(world.session)).isOne();
        var decided = world.decide(asked, approved());
        world.settle();

        assertThat(decided.status()).isEqualTo("approved");
        assertThat(decided.scope()).isEqualTo("once");
        assertThat(bridge.received).containsExactly(new Approve("q1", true, null, null));
        assertThat(world.approvals.openOf(world.session)).isZero();
        var log = world.log(world.session);
        assertThat(log)
                .extracting(event -> event.type())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
        assertThat(log).allMatch(event -> event.belongsTo(bridge.turn));
        assertThat(World.approval(log.get(0))).isEqualTo(asked);
        assertThat(World.approval(log.get(1))).isEqualTo(decided);
    }

    @Test
    void tellsTheEngineAnotherInputOrWhyNot() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        world.clock.add(Duration.ofMillis(1));
        bridge.asks("q2", "Bash", "{\"command\":\"rm\"}");

        world.decide(world.pending().get(0), modified("{\"command\":\"ls -l\"}"));
        world.decide(world.pending().get(0), rejected("too dangerous"));
        world.settle();

        assertThat(bridge.received)
                .containsExactly(
                        new Approve("q1", true, RawJson.of("{\"command\":\"ls -l\"}"), null),
                        new Approve("q2", false, null, "too dangerous"));
    }

    @Test
    void letsTheFirstOfManyAnswersCount() throws Exception {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        var asked = world.only();

        var won = new ArrayList<Approval>();
        var lost = new ArrayList<ApiException>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<Approval>>();
            for (int i = 0; i < 64; i++) {
                var answer = i % 2 == 0 ? approved() : rejected("no " + i);
                Callable<Approval> decide = () -> world.decide(asked, answer);
                answers.add(threads.submit(decide));
            }
            for (var answer : answers) {
                try {
                    won.add(answer.get());
                } catch (ExecutionException e) {
                    lost.add((ApiException) e.getCause());
                }
            }
        }
        world.settle();

        assertThat(won).containsExactly(world.only());
        assertThat(lost)
                .hasSize(63)
                .allMatch(e -> e.code() == ErrorCode.APPROVAL_RESOLVED)
                .allMatch(e -> e.message().contains(won.getFirst().status()))
                .allMatch(e -> e.message().contains("by api at " + won.getFirst().decidedAt()));
        assertThat(bridge.received).hasSize(1);
        assertThat(bridge.received.getFirst().allow())
                .isEqualTo(won.getFirst().status().equals("approved"));
        assertThat(world.logged())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
    }

    @Test
    void knowsAnEventThatComesAgain() {
        var bridge = world.bridge();
        var question = call("q1", "Bash", LS);
        long n = bridge.asks(question);
        bridge.asks(question, n);

        assertThat(world.all()).hasSize(1);
        assertThat(bridge.received).isEmpty();

        world.decide(world.only(), approved());
        world.settle();
        bridge.asks(question, n);
        world.settle();

        assertThat(world.all()).hasSize(1);
        assertThat(bridge.received).hasSize(2);
        assertThat(bridge.taken).hasSize(1);
        assertThat(world.logged())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
    }

    @Test
    void makesTwoRowsOfTwoEqualCallsThatRunBesideEachOther() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        bridge.asks("q2", "Bash", LS);

        assertThat(world.pending()).hasSize(2);
        world.decide(world.pending().getFirst(), approved());
        world.settle();

        assertThat(bridge.taken).extracting(Approve::id).hasSize(1);
        assertThat(world.pending()).hasSize(1);
    }

    @Test
    void letsTheSameCallPassOnceAfterItsBridgeDied() {
        world.bridge().asks("q1", "Bash", LS);
        world.live.clear();
        world.decide(world.only(), approved());
        world.settle();

        var second = world.bridge();
        second.asks("other", "Bash", "{\"command\":\"ls /\"}");
        second.asks("tool", "Sh", LS);
        world.settle();
        assertThat(second.received).as("other calls").isEmpty();

        second.asks("q2", "Bash", LS);
        world.settle();
        assertThat(second.taken).containsExactly(new Approve("q2", true, null, null));

        second.asks("q3", "Bash", LS);
        var third = world.bridge();
        third.asks("q4", "Bash", LS);
        world.settle();
        assertThat(second.taken).as("only once").hasSize(1);
        assertThat(third.received).as("only once").isEmpty();
        assertThat(world.pending()).extracting(Approval::tool).contains("Bash");
    }

    @Test
    void givesARejectionToTheSameCallToo() {
        world.bridge().asks("q1", "Bash", LS);
        world.live.clear();
        world.decide(world.only(), rejected("no"));

        var second = world.bridge();
        second.asks("q2", "Bash", LS);
        world.settle();

        assertThat(second.taken).containsExactly(new Approve("q2", false, null, "no"));
    }

    @Test
    void keepsAnOpenQuestionOpenWhenAnotherBridgeAsksItAgain() {
        var first = world.bridge();
        first.asks("q1", "Bash", LS);
        var asked = world.only();
        var second = world.bridge();
        second.asks("q2", "Bash", LS);

        assertThat(world.only().id()).isEqualTo(asked.id());
        assertThat(world.only().turnId()).isEqualTo(second.turn.value());
        assertThat(world.only().toolUseId()).isEqualTo("use-q2");
        assertThat(world.log(world.session))
                .as("whoever follows the new turn sees it too")
                .hasSize(2)
                .last()
                .matches(event -> event.belongsTo(second.turn))
                .matches(event -> event.type() == EventType.APPROVAL_REQUIRED);
        world.decide(asked, approved());
        world.settle();

        assertThat(first.received).isEmpty();
        assertThat(second.taken).containsExactly(new Approve("q2", true, null, null));
    }

    @Test
    void givesADecisionOnceWhenItIsMadeJustBeforeTheQuestionMoves() {
        world.bridge().asks("q1", "Bash", LS);
        var second = world.bridge();

        world.decide(world.only(), approved()); // not settled yet
        second.asks("q2", "Bash", LS);
        world.settle();

        assertThat(second.received).containsExactly(new Approve("q2", true, null, null));
    }

    @Test
    void givesADecisionOnceWhenItIsMadeJustAfterTheQuestionMoved() {
        world.bridge().asks("q1", "Bash", LS);
        var second = world.bridge();

        second.asks("q2", "Bash", LS);
        world.decide(world.only(), approved());
        world.settle();

        assertThat(second.received).containsExactly(new Approve("q2", true, null, null));
    }

    @Test
    void neverGivesAwayTwiceWhatWasOnItsWayToABridgeThatDied() {
        var first = world.bridge();
        first.asks("q1", "Bash", LS);
        first.broken = true;
        world.decide(world.only(), approved());
        world.settle();

        var second = world.bridge();
        second.asks("q2", "Bash", LS);
        world.settle();

        assertThat(second.received).isEmpty();
        assertThat(world.pending()).hasSize(1);
    }

    @Test
    void tellsAnAdoptedBridgeWhatWasDecidedMeanwhileAndWhatMayNotHaveArrived() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        world.clock.add(Duration.ofMillis(1));
        bridge.asks("q2", "Bash", "{}");
        world.clock.add(Duration.ofMillis(1));
        bridge.asks("q3", "Bash", "{\"a\":1}");
        bridge.broken = true;
        world.decide(world.pending().get(0), approved());
        world.settle(); // spent, and lost on the way
        world.decide(world.pending().get(0), rejected("no")); // not even spent
        world.restart();
        bridge.broken = false;

        world.approvals.adopted(bridge);
        world.approvals.adopted(bridge);
        world.settle();

        assertThat(bridge.taken)
                .containsExactlyInAnyOrder(
                        new Approve("q1", true, null, null), new Approve("q2", false, null, "no"));
        assertThat(bridge.open).containsOnlyKeys("q3");
        world.bridge().asks("q4", "Bash", LS);
        assertThat(world.pending()).as("q1 was spent").hasSize(2);
    }

    @Test
    void letsEveryCallOfAToolPassOnceItIsApprovedForTheSession() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        world.decide(world.only(), approvedForSession());
        bridge.asks("q2", "Bash", "{\"command\":\"rm\"}");
        bridge.asks("q3", "Write", LS);
        world.settle();

        assertThat(bridge.taken).extracting(Approve::id).containsExactly("q1", "q2");
        assertThat(world.pending()).extracting(Approval::tool).containsExactly("Write");
        assertThat(world.all())
                .filteredOn(approval -> "rule".equals(approval.decidedBy()))
                .extracting(Approval::status)
                .containsExactly("approved");
        var elsewhere = world.new Bridge(SessionId.random(), "elsewhere");
        elsewhere.asks("q4", "Bash", LS);
        world.settle();
        assertThat(elsewhere.received).as("another session").isEmpty();
    }

    @Test
    void letsAnOpenQuestionPassWhenItComesAgainAfterItsToolWasApproved() {
        var first = world.bridge();
        first.asks("q1", "Bash", LS);
        world.clock.add(Duration.ofMillis(1));
        first.asks("q2", "Bash", "{}");
        world.decide(world.pending().getFirst(), approvedForSession());
        world.settle();
        assertThat(world.pending()).hasSize(1);

        var second = world.bridge();
        second.asks("q3", "Bash", "{}");
        world.settle();

        assertThat(second.taken).containsExactly(new Approve("q3", true, null, null));
        assertThat(world.pending()).isEmpty();
    }

    @Test
    void neverLetsQuestionsPassByARule() {
        var bridge = world.bridge();
        bridge.asks("q1", "AskUserQuestion", "{}");
        world.decide(world.only(), approvedForSession());
        bridge.asks(call("q2", Kind.QUESTION, "AskUserQuestion", "{}"));
        world.settle();

        assertThat(world.pending()).extracting(Approval::kind).containsExactly("question");
    }

    @Test
    void cancelsAQuestionThatTheEngineGaveUp() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        bridge.gaveUp("q1");
        bridge.gaveUp("never asked");

        assertThat(world.only().status()).isEqualTo("cancelled");
        assertThat(world.logged())
                .containsExactly(EventType.APPROVAL_REQUIRED, EventType.APPROVAL_RESOLVED);
        assertThatThrownBy(() -> world.decide(world.only(), approved()))
                .hasMessageContaining("cancelled already, by engine at");
        var second = world.bridge();
        second.asks("q1", "Bash", LS);
        assertThat(world.pending()).as("a later call is asked about").hasSize(1);
    }

    @Test
    void dropsADecisionThatCameTooLateForACallThatWasGivenUp() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        world.decide(world.only(), approved());
        bridge.gaveUp("q1");
        world.settle();
        var second = world.bridge();
        second.asks("q2", "Bash", LS);
        world.settle();

        assertThat(second.received).isEmpty();
        assertThat(world.pending()).hasSize(1);
    }

    @Test
    void keepsTenantsApart() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        var id = new ApprovalId(world.only().id());

        assertThatThrownBy(() -> world.answers.decide(World.OTHER, id, approved(), "api"))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.APPROVAL_NOT_FOUND));
        world.settle();

        assertThat(world.only().status()).isEqualTo("pending");
        assertThat(bridge.received).isEmpty();
    }

    @Test
    void keepsAThousandOpenQuestionsOverARestartAndTakesAnAnswerToEach() {
        var bridge = world.bridge();
        for (int i = 0; i < 1000; i++) {
            bridge.asks("q" + i, "Bash", "{\"i\":" + i + "}");
        }
        world.restart();

        assertThat(world.pending()).hasSize(1000);
        assertThat(world.approvals.openOf(world.session)).isEqualTo(1000);
        world.pending().forEach(approval -> world.decide(approval, approved()));
        world.settle();

        assertThat(world.pending()).isEmpty();
        assertThat(bridge.open).isEmpty();
        assertThat(bridge.taken).hasSize(1000).allMatch(Approve::allow);
    }
}
