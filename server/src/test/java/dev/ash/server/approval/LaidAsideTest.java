package dev.ash.server.approval;

import static dev.ash.server.approval.World.approved;
import static dev.ash.server.approval.World.modified;
import static dev.ash.server.approval.World.rejected;
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

/** Questions whose turn rests without an engine, and decisions that wait for the next prompt. */
class LaidAsideTest {
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

    private World.Bridge asking(TurnId turn) {
        var bridge = world.bridge();
        bridge.turn = turn;
        world.turn(turn, "running");
        bridge.asks("q1", "Bash", LS);
        return bridge;
    }

    @Test
    void wakesTheTurnAndAnswersTheCallThatItRepeats() {
        var turn = TurnId.random();
        assertThat(world.layAside(asking(turn), "q1", turn)).isFalse();
        world.live.clear();

        world.decide(world.only(), approved());
        world.settle();
        assertThat(world.woken).containsExactly(world.session);

        var second = world.bridge();
        second.turn = turn;
        second.asks("q1", "Bash", LS);
        world.settle();
        assertThat(second.taken).containsExactly(new Approve("q1", true, null, null));
    }

    @Test
    void wakesATurnOfABridgeThatIsStillThere() {
        var turn = TurnId.random();
        var bridge = asking(turn);
        world.layAside(bridge, "q1", turn);

        world.decide(world.only(), approved());
        world.settle();
        assertThat(world.woken).containsExactly(world.session);

        bridge.asks("q1", "Bash", LS); // the same bridge goes on
        world.settle();
        assertThat(bridge.taken).containsExactly(new Approve("q1", true, null, null));
    }

    @Test
    void freesADecisionThatTheBridgeDidNotTakeAsItLaidTheQuestionAside() {
        var turn = TurnId.random();
        var bridge = asking(turn);
        bridge.open.clear();
        world.decide(world.only(), approved());
        world.settle(); // spent and sent, but the bridge had laid it aside just then
        assertThat(bridge.received).hasSize(1);

        assertThat(world.layAside(bridge, "q1", turn)).as("there is an answer").isTrue();
        var second = world.bridge();
        second.asks("q1", "Bash", LS);
        world.settle();

        assertThat(second.taken).containsExactly(new Approve("q1", true, null, null));
    }

    @Test
    void wakesNobodyWhoseTurnEnded() {
        var turn = TurnId.random();
        asking(turn);
        world.turn(turn, "error");
        world.live.clear();

        world.decide(world.only(), approved());
        world.settle();

        assertThat(world.woken).isEmpty();
    }

    @Test
    void wakesWhatAnEarlierServerDidNot() {
        var turn = TurnId.random();
        world.layAside(asking(turn), "q1", turn);
        world.live.clear();
        world.decide(world.only(), approved());
        world.restart();

        world.answers.start();
        world.settle();

        assertThat(world.woken).containsExactly(world.session);
    }

    @Test
    void triesAgainToWakeWhatCouldNotBeWoken() {
        var turn = TurnId.random();
        world.layAside(asking(turn), "q1", turn);
        world.live.clear();
        world.decide(world.only(), approved());
        world.handedOver.clear();
        var answers = world.answers;

        world.canWake = false;
        answers.wakeAll();
        world.settle();
        answers.wakeAgain();
        world.settle();
        assertThat(world.woken).isEmpty();
        world.canWake = true;
        answers.wakeAgain();
        world.settle();
        answers.wakeAgain();
        world.settle();

        assertThat(world.woken).containsExactly(world.session);
    }

    @Test
    void cancelsWhatIsOpenWhenTheSessionEnds() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        bridge.asks("q2", "Bash", "{}");
        world.live.clear();
        world.decide(world.pending().getFirst(), approved());
        var log = new ArrayList<NewEvent>();

        world.events.append(
                world.session,
                log,
                (transaction, now) -> {
                    log.clear();
                    log.addAll(world.approvals.cancelOpen(transaction, world.session, now));
                });

        assertThat(world.pending()).isEmpty();
        assertThat(world.all())
                .extracting(Approval::status)
                .containsExactlyInAnyOrder("approved", "cancelled");
        assertThat(world.log(world.session)).hasSize(4);
        assertThat(World.approval(world.log(world.session).getLast()).decidedBy())
                .isEqualTo("session");
        assertThat(world.toTell()).isEmpty();
    }

    @Test
    void refusesTheRepeatedCallOfATurnThatWasInterruptedButNotALaterOne() {
        var turn = TurnId.random();
        world.layAside(asking(turn), "q1", turn);
        assertThat(world.cancelOpen(turn)).hasSize(1);
        assertThat(world.only().status()).isEqualTo("cancelled");

        var second = world.bridge();
        second.asks("q7", "Bash", LS);
        world.settle();
        assertThat(second.received).as("another use of the tool").isEmpty();
        second.asks("q1", "Bash", LS);
        world.settle();
        assertThat(second.taken)
                .containsExactly(
                        new Approve(
                                "q1",
                                false,
                                null,
                                "The turn was interrupted before anybody answered."));
    }

    @Test
    void takesBackWhatWasApprovedWhenTheTurnIsInterrupted() {
        var turn = TurnId.random();
        world.layAside(asking(turn), "q1", turn);
        world.decide(world.only(), approved());

        assertThat(world.cancelOpen(turn)).isEmpty();
        var second = world.bridge();
        second.asks("q1", "Bash", LS);
        world.settle();

        assertThat(second.received).isEmpty();
    }

    @Test
    void tellsTheNextPromptOnceWhatWasDecidedForABridgeThatIsGone() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        bridge.asks("q2", "Write", "{\"text\":\"" + "x".repeat(1000) + "\"}");
        bridge.asks("q3", "Edit", "{}");
        bridge.asks("q4", "Read", "{}");
        bridge.asks(World.call("q5", Kind.QUESTION, "AskUserQuestion", "{}"));
        world.live.clear();
        var asked = world.pending();
        var answers =
                Map.of(
                        "Bash", approved(),
                        "Write", rejected("not there"),
                        "Edit", modified("{\"a\":1}"),
                        "AskUserQuestion", modified("{\"answers\":{\"which?\":\"this\"}}"));
        for (var approval : asked) {
            var answer = answers.get(approval.tool());
            if (answer != null) {
                world.decide(approval, answer);
                world.clock.add(Duration.ofMillis(1));
            }
        }
        world.settle();

        var told = world.toTell();
        var text = DecisionNotice.text(told);
        assertThat(told).hasSize(4);
        assertThat(text)
                .contains("Bash with " + LS + " was approved: the same call will pass once.")
                .contains("was rejected. The answer came with this message: not there")
                .contains("Edit with {} was approved with another input, {\"a\":1}")
                .contains("was answered: {\"answers\":{\"which?\":\"this\"}}")
                .contains("… (1011 characters)")
                .doesNotContain("Read");
        assertThat(text.length()).isLessThan(2000);

        world.told(told);
        assertThat(world.toTell()).isEmpty();
        assertThat(DecisionNotice.text(world.toTell())).isEmpty();
        var second = world.bridge();
        second.asks("q9", "Bash", LS);
        world.settle();
        assertThat(second.taken).as("and it passes").hasSize(1);
    }

    @Test
    void tellsNothingThatTheLiveBridgeIsAboutToHear() {
        var bridge = world.bridge();
        bridge.asks("q1", "Bash", LS);
        world.decide(world.only(), approved());

        assertThat(world.toTell()).isEmpty();
    }

    @Test
    void remembersAChangedInput() {
        world.bridge().asks("q1", "Bash", LS);
        world.live.clear();
        world.decide(world.only(), modified("{\"command\":\"pwd\"}"));
        var second = world.bridge();
        second.asks("q2", "Bash", LS);
        world.settle();

        assertThat(second.taken)
                .containsExactly(
                        new Approve("q2", true, RawJson.of("{\"command\":\"pwd\"}"), null));
    }
}
