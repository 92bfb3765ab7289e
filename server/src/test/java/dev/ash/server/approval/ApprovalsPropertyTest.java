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
 * Executes random sequences of questions, decisions, crashes and restarts. Checks that an answer
 * allows at most one call, that no question is lost, and that every waiting bridge has a pending
 * question.
 */
class ApprovalsPropertyTest {
    private static Path directory;

    @BeforeContainer
    static void createDirectory() throws IOException {
        directory = Files.createTempDirectory("approvals");
    }

    @AfterContainer
    static void deleteDirectory() throws IOException {
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    enum Kind {
        ASK,
        ASK_DEFERRED,
        REPLAY,
        DECIDE,
        DELIVER,
        BRIDGE_DIES,
        NEW_BRIDGE,
        CRASH,
        CRASH_BEFORE_SENDING,
        ABANDON,
        DEFER,
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
                        Tuple.of(5, Arbitraries.of(Kind.DELIVER)),
                        Tuple.of(5, Arbitraries.of(Kind.class)));
        return Combinators.combine(kinds, Arbitraries.integers().between(0, 11))
                .as(Action::new)
                .list()
                .ofMinSize(10)
                .ofMaxSize(40);
    }

    @Property(tries = 100)
    void answerAllowsAtMostOneCall(@ForAll("actions") List<Action> actions) {
        try (var fixture = new ApprovalFixture(directory)) {
            var run = new Run(fixture);
            for (var action : actions) {
                run.act(action);
                run.check();
            }
            run.finish();
        }
    }

    /** Executes actions and records the expected state. */
    private static final class Run {
        private final ApprovalFixture fixture;
        private final List<ApprovalFixture.Bridge> bridges = new ArrayList<>();
        private final Map<String, String> callOfQuestion = new HashMap<>();
        private final Map<String, Long> numbers = new HashMap<>();
        private final Map<String, String> callOfDecision = new HashMap<>();
        private final Set<String> reassignableDecisions = new HashSet<>();
        private final Set<String> seen = new HashSet<>();
        private final Set<String> decided = new HashSet<>();
        private final Set<String> possiblyAbandoned = new HashSet<>();
        private String deferred = "";
        private int count;

        Run(ApprovalFixture fixture) {
            this.fixture = fixture;
            newBridge();
        }

        private ApprovalFixture.Bridge live() {
            return fixture.live.get(fixture.session);
        }

        private void newBridge() {
            killBridge();
            bridges.add(fixture.bridge());
        }

        private void killBridge() {
            var bridge = live();
            if (bridge != null) {
                bridge.broken = true;
                bridge.open.clear();
                fixture.live.remove(fixture.session);
            }
        }

        void act(Action action) {
            int choice = action.choice();
            switch (action.kind()) {
                case ASK -> ask("q" + count++, call(choice));
                case ASK_DEFERRED -> {
                    if (!deferred.isEmpty()) {
                        ask(deferred, callOfQuestion.get(deferred));
                        deferred = "";
                    }
                }
                case REPLAY -> replay(choice);
                case DECIDE -> decide(choice);
                case DELIVER -> {
                    if (choice > 2) {
                        fixture.runDeliveries();
                    } else if (fixture.hasPendingDeliveries()) {
                        fixture.pendingDeliveries.poll().run();
                    }
                }
                case BRIDGE_DIES -> killBridge();
                case NEW_BRIDGE -> newBridge();
                case CRASH -> crash();
                case CRASH_BEFORE_SENDING -> {
                    if (live() != null && fixture.hasPendingDeliveries()) {
                        live().broken = true;
                        fixture.pendingDeliveries.poll().run();
                        live().broken = false;
                        crash();
                    }
                }
                case ABANDON -> abandon();
                case DEFER -> defer();
                case ADOPT -> adopt();
            }
        }

        /** Returns mostly the same call, so that questions match earlier decisions. */
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
                    live().id + question,
                    live().ask(ApprovalFixture.call(question, parts[0], parts[1])));
        }

        private void replay(int choice) {
            if (live() == null) {
                return;
            }
            var keys = numbers.keySet().stream().filter(k -> k.startsWith(live().id)).toList();
            if (!keys.isEmpty()) {
                var key = keys.get(choice % keys.size());
                var question = key.substring(live().id.length());
                if (question.equals(deferred)) {
                    return; // acknowledged before its bridge rests, so never replayed
                }
                var parts = callOfQuestion.get(question).split(" ", 2);
                live().ask(ApprovalFixture.call(question, parts[0], parts[1]), numbers.get(key));
            }
        }

        private void decide(int choice) {
            var pending = fixture.pending();
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
            fixture.decide(approval, answer);
            decided.add(approval.id());
        }

        private void crash() {
            fixture.restart();
            if (live() != null) {
                fixture.approvals.resendDecisions(live());
            }
        }

        private void adopt() {
            if (live() != null) {
                fixture.approvals.resendDecisions(live());
            }
        }

        private void abandon() {
            if (live() != null && !live().open.isEmpty()) {
                fixture.pending().forEach(approval -> possiblyAbandoned.add(approval.id()));
                var before = pendingIds();
                live().abandon(live().open.keySet().iterator().next());
                assertThat(before).containsAll(pendingIds());
                assertThat(pendingIds().size()).isGreaterThanOrEqualTo(before.size() - 1);
            }
        }

        private void defer() {
            if (live() != null && live().open.size() == 1) {
                deferred = live().open.keySet().iterator().next();
                fixture.defer(live(), deferred, TurnId.random());
                reassignableDecisions.addAll(callOfDecision.keySet());
            }
        }

        private Set<String> pendingIds() {
            return fixture.pending().stream().map(Approval::id).collect(Collectors.toSet());
        }

        void check() {
            var acceptedBy = new HashMap<String, String>();
            var sentTo = new HashMap<String, Set<String>>();
            for (var bridge : bridges) {
                for (var answer : bridge.received) {
                    sentTo.computeIfAbsent(decision(answer), _ -> new HashSet<>())
                            .add(bridge.id + answer.id());
                }
                for (var answer : bridge.accepted) {
                    if (answer.allow()) {
                        var decision = decision(answer);
                        assertThat(acceptedBy.put(decision, answer.id()))
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
                        if (!reassignableDecisions.contains(decision)
                                && callOfDecision.containsKey(decision)) {
                            assertThat(questions).as(decision + " was sent to").hasSize(1);
                        }
                    });
            var now = fixture.all();
            assertThat(now).extracting(Approval::id).containsAll(seen);
            for (var approval : now) {
                seen.add(approval.id());
                if (!decided.contains(approval.id())
                        && !possiblyAbandoned.contains(approval.id())) {
                    assertThat(approval.status()).isEqualTo("pending");
                }
            }
        }

        private static String decision(Approve answer) {
            return String.valueOf(answer.message());
        }

        /** Checks that after all deliveries every waiting bridge has a pending question. */
        void finish() {
            adopt();
            fixture.runDeliveries();
            check();
            if (live() == null) {
                return;
            }
            for (var question : live().open.keySet()) {
                var rows =
                        fixture.database
                                .writer()
                                .write(
                                        transaction ->
                                                fixture.store.findByQuestion(
                                                        transaction,
                                                        fixture.session,
                                                        live().id,
                                                        question));
                assertThat(rows).as(question).isNotEmpty();
                assertThat(rows.getFirst().isPending()).as(question).isTrue();
            }
        }
    }
}
