package dev.ash.server.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Anything may happen at any moment: whatever does, an answer allows one call at most, and only the
 * call it was given to; no question is forgotten; and a bridge that waits is waited for.
 */
class ApprovalsPropertyTest {
    private static Path folder;

    @BeforeContainer
    static void makeFolder() throws IOException {
        folder = Files.createTempDirectory("approvals");
    }

    @AfterContainer
    static void removeFolder() throws IOException {
        try (var files = Files.list(folder)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }

    enum Kind {
        ASK,
        ASK_AS_LAID_ASIDE,
        REPLAY,
        DECIDE,
        HAND_OVER,
        BRIDGE_DIES,
        NEW_BRIDGE,
        CRASH,
        CRASH_BEFORE_SENDING,
        GIVE_UP,
        LAY_ASIDE,
        ADOPT
    }

    record Action(Kind kind, int choice) {}

    @Provide
    Arbitrary<List<Action>> actions() {
        var kinds =
                Arbitraries.frequencyOf(
                        Tuple.of(5, Arbitraries.of(Kind.ASK)),
                        Tuple.of(4, Arbitraries.of(Kind.DECIDE)),
                        Tuple.of(4, Arbitraries.of(Kind.NEW_BRIDGE)),
                        Tuple.of(5, Arbitraries.of(Kind.HAND_OVER)),
                        Tuple.of(5, Arbitraries.of(Kind.class)));
        return Combinators.combine(kinds, Arbitraries.integers().between(0, 11))
                .as(Action::new)
                .list()
                .ofMinSize(10)
                .ofMaxSize(40);
    }

    @Property(tries = 100)
    void anAnswerAllowsOneCallAtMost(@ForAll("actions") List<Action> actions) {
        try (var world = new World(folder)) {
            var run = new Run(world);
            for (var action : actions) {
                run.act(action);
                run.check();
            }
            run.finish();
        }
    }

    /** What was done, and what must therefore be true. */
    private static final class Run {
        private final World world;
        private final List<World.Bridge> bridges = new ArrayList<>();
        private final Map<String, String> callOfQuestion = new HashMap<>();
        private final Map<String, Long> numbers = new HashMap<>();
        private final Map<String, String> callOfDecision = new HashMap<>();
        private final Set<String> layableDecisions = new HashSet<>();
        private final Set<String> seen = new HashSet<>();
        private final Set<String> decided = new HashSet<>();
        private final Set<String> maybeGivenUp = new HashSet<>();
        private String laidAside = "";
        private int count;

        Run(World world) {
            this.world = world;
            newBridge();
        }

        private World.Bridge live() {
            return world.live.get(world.session);
        }

        private void newBridge() {
            bridgeDies();
            bridges.add(world.bridge());
        }

        private void bridgeDies() {
            var bridge = live();
            if (bridge != null) {
                bridge.broken = true;
                bridge.open.clear();
                world.live.remove(world.session);
            }
        }

        void act(Action action) {
            int choice = action.choice();
            switch (action.kind()) {
                case ASK -> ask("q" + count++, call(choice));
                case ASK_AS_LAID_ASIDE -> {
                    if (!laidAside.isEmpty()) {
                        ask(laidAside, callOfQuestion.get(laidAside));
                        laidAside = "";
                    }
                }
                case REPLAY -> replay(choice);
                case DECIDE -> decide(choice);
                case HAND_OVER -> {
                    if (choice > 2) {
                        world.settle();
                    } else if (world.hasHandedOver()) {
                        world.handedOver.poll().run();
                    }
                }
                case BRIDGE_DIES -> bridgeDies();
                case NEW_BRIDGE -> newBridge();
                case CRASH -> crash();
                case CRASH_BEFORE_SENDING -> {
                    if (live() != null && world.hasHandedOver()) {
                        live().broken = true;
                        world.handedOver.poll().run();
                        live().broken = false;
                        crash();
                    }
                }
                case GIVE_UP -> giveUp();
                case LAY_ASIDE -> layAside();
                case ADOPT -> adopt();
            }
        }

        /** Mostly the same one, so that rows and decisions meet. */
        private static String call(int choice) {
            return switch (choice) {
                case 0 -> "Write {\"i\":0}";
                case 1, 2 -> "Bash {\"i\":1}";
                default -> "Bash {\"i\":0}";
            };
        }

        private void ask(String question, String call) {
            if (live() == null) {
                return;
            }
            callOfQuestion.put(question, call);
            var parts = call.split(" ", 2);
            numbers.put(
                    live().id + question, live().asks(World.call(question, parts[0], parts[1])));
        }

        private void replay(int choice) {
            if (live() == null) {
                return;
            }
            var mine = numbers.keySet().stream().filter(k -> k.startsWith(live().id)).toList();
            if (!mine.isEmpty()) {
                var key = mine.get(choice % mine.size());
                var question = key.substring(live().id.length());
                if (question.equals(laidAside)) {
                    return; // it is committed and acknowledged before a bridge is put to rest
                }
                var parts = callOfQuestion.get(question).split(" ", 2);
                live().asks(World.call(question, parts[0], parts[1]), numbers.get(key));
            }
        }

        private void decide(int choice) {
            var pending = world.pending();
            if (pending.isEmpty()) {
                return;
            }
            var approval = pending.get(choice % pending.size());
            var message = "decision " + count++;
            callOfDecision.put(message, approval.tool() + " " + approval.input());
            var answer =
                    switch (choice % 3) {
                        case 0 -> new ApprovalApi.Decide("approved", null, message, null);
                        case 1 ->
                                new ApprovalApi.Decide(
                                        "modified", RawJson.of("{\"new\":1}"), message, null);
                        default -> new ApprovalApi.Decide("rejected", null, message, null);
                    };
            world.decide(approval, answer);
            decided.add(approval.id());
        }

        private void crash() {
            world.restart();
            if (live() != null) {
                world.approvals.adopted(live());
            }
        }

        private void adopt() {
            if (live() != null) {
                world.approvals.adopted(live());
            }
        }

        private void giveUp() {
            if (live() != null && !live().open.isEmpty()) {
                world.pending().forEach(approval -> maybeGivenUp.add(approval.id()));
                var before = pendingIds();
                live().gaveUp(live().open.keySet().iterator().next());
                assertThat(before).containsAll(pendingIds());
                assertThat(pendingIds().size()).isGreaterThanOrEqualTo(before.size() - 1);
            }
        }

        private void layAside() {
            if (live() != null && live().open.size() == 1) {
                laidAside = live().open.keySet().iterator().next();
                world.layAside(live(), laidAside, TurnId.random());
                layableDecisions.addAll(callOfDecision.keySet());
            }
        }

        private Set<String> pendingIds() {
            return world.pending().stream().map(Approval::id).collect(Collectors.toSet());
        }

        void check() {
            var takenBy = new HashMap<String, String>();
            var sentTo = new HashMap<String, Set<String>>();
            for (var bridge : bridges) {
                for (var answer : bridge.received) {
                    sentTo.computeIfAbsent(decision(answer), _ -> new HashSet<>())
                            .add(bridge.id + answer.id());
                }
                for (var answer : bridge.taken) {
                    if (answer.allow()) {
                        var decision = decision(answer);
                        assertThat(takenBy.put(decision, answer.id()))
                                .as("%s allowed a second call", decision)
                                .isNull();
                        assertThat(callOfQuestion.get(answer.id()))
                                .as("the call that %s allowed", decision)
                                .isEqualTo(callOfDecision.get(decision));
                    }
                }
            }
            sentTo.forEach(
                    (decision, questions) -> {
                        if (!layableDecisions.contains(decision)
                                && callOfDecision.containsKey(decision)) {
                            assertThat(questions).as(decision + " was sent to").hasSize(1);
                        }
                    });
            var now = world.all();
            assertThat(now).extracting(Approval::id).containsAll(seen);
            for (var approval : now) {
                seen.add(approval.id());
                if (!decided.contains(approval.id()) && !maybeGivenUp.contains(approval.id())) {
                    assertThat(approval.status()).isEqualTo("pending");
                }
            }
        }

        private static String decision(Approve answer) {
            return String.valueOf(answer.message());
        }

        /** When everything has come to rest, whoever still waits does so for a person. */
        void finish() {
            adopt();
            world.settle();
            check();
            if (live() == null) {
                return;
            }
            for (var question : live().open.keySet()) {
                var rows =
                        world.database
                                .writer()
                                .write(
                                        transaction ->
                                                world.store.heldBy(
                                                        transaction,
                                                        world.session,
                                                        live().id,
                                                        question));
                assertThat(rows).as(question).isNotEmpty();
                assertThat(rows.getFirst().isPending()).as(question).isTrue();
            }
        }
    }
}
