package dev.ash.server.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ash.pair.loop.Arbiter.Answer;
import dev.ash.pair.loop.Arbiter.Decision;
import dev.ash.pair.loop.Disagreement;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.approval.ApprovalId;
import dev.ash.server.approval.ApprovalStore;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.AskerKind;
import dev.ash.server.approval.Askers;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Database;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Questions of a run on a real database, across server restarts. */
class RunArbiterTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final TenantId TENANT = TenantId.DEFAULT;

    @TempDir Path directory;
    private final SessionId session = SessionId.random();
    private Database database;
    private SessionEvents events;
    private Approvals approvals;
    private ApprovalAnswers answers;
    private PairQuestions questions;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        events = new SessionEvents(database, new EventStore(database), Clock.systemUTC());
        approvals =
                new Approvals(
                        new ApprovalStore(database), events, Clock.systemUTC(), Optional.empty());
        var waiting = new WaitingRuns();
        answers =
                new ApprovalAnswers(
                        approvals, new NoOtherAskers(), Map.of(AskerKind.PAIR, waiting));
        questions = new PairQuestions(approvals, answers, waiting);
        answers.start();
    }

    @AfterEach
    void close() {
        answers.close();
        database.close();
    }

    private static final class NoOtherAskers implements Askers {
        @Override
        public Optional<Asker> askerOf(SessionId session) {
            return Optional.empty();
        }

        @Override
        public void wake(SessionId session) {
            throw new AssertionError("no session must be woken");
        }
    }

    private RunArbiter arbiter() {
        return new RunArbiter(questions, TENANT, session, "sums-1", new RunTitle(1, "sums"));
    }

    private static Disagreement disagreement(int number) {
        return new Disagreement(number, "Add sums", "It is blue", "It is green");
    }

    private CompletableFuture<Optional<Answer>> loop(int number, Duration limit) {
        var arbiter = arbiter();
        var answer = new CompletableFuture<Optional<Answer>>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                answer.complete(arbiter.decide(disagreement(number), limit));
                            } catch (InterruptedException | RuntimeException e) {
                                answer.completeExceptionally(e);
                            }
                        });
        return answer;
    }

    private Approval asked() throws InterruptedException {
        long end = System.nanoTime() + LONG.toNanos();
        while (System.nanoTime() < end) {
            var pending = answers.pending(TENANT, session);
            if (!pending.isEmpty()) {
                assertThat(pending).hasSize(1);
                return pending.getFirst();
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("no question was asked");
    }

    private void decide(Approval approval, Decision decision) {
        answers.decide(
                TENANT,
                new ApprovalId(approval.id()),
                DecisionOption.answer(decision, "?", null),
                "device:phone");
    }

    private static Answer answerBy(Decision decision, String by) {
        return new Answer(decision, "", by);
    }

    private static Optional<Answer> get(CompletableFuture<Optional<Answer>> answer)
            throws Exception {
        return answer.get(30, TimeUnit.SECONDS);
    }

    @Test
    void receivesAnswersOfApprovals() throws Exception {
        var answer = loop(1, LONG);
        var asked = asked();
        assertThat(asked.kind()).isEqualTo("question");
        assertThat(asked.source()).isEqualTo("pair");
        assertThat(asked.input().toString()).contains("It is blue", "It is green", "Add sums");

        decide(asked, Decision.ACCEPT);

        assertThat(get(answer)).contains(answerBy(Decision.ACCEPT, "device:phone"));
    }

    @Test
    void appliesTheFirstOfTwoAnswers() throws Exception {
        var answer = loop(1, LONG);
        asked();

        arbiter().answer(disagreement(1), Decision.REJECT, null, "cli");
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> arbiter().answer(disagreement(1), Decision.ACCEPT, null, "api"))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.APPROVAL_RESOLVED))
                .satisfies(e -> assertThat(e.message()).contains("already answered by cli"));

        assertThat(get(answer)).contains(answerBy(Decision.REJECT, "cli"));
    }

    @Test
    void acceptsAnswersBeforeTheLoopAsks() throws Exception {
        arbiter().answer(disagreement(1), Decision.ACCEPT, null, "api");

        assertThat(get(loop(1, LONG))).contains(answerBy(Decision.ACCEPT, "api"));
    }

    @Test
    void deliversTheFirstOfManyConcurrentAnswers() throws Exception {
        for (int number = 1; number <= 20; number++) {
            var answer = loop(number, LONG);
            var about = disagreement(number);
            var answering = new ArrayList<Thread>();
            for (int i = 0; i < 8; i++) {
                answering.add(
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            try {
                                                arbiter()
                                                        .answer(about, Decision.GO_ON, null, "api");
                                            } catch (ApiException | InterruptedException e) {
                                                // Another answer was first.
                                            }
                                        }));
            }
            for (var thread : answering) {
                thread.join();
            }
            assertThat(get(answer)).contains(answerBy(Decision.GO_ON, "api"));
        }
    }

    @Test
    void asksTheSameQuestionAfterACrash() throws Exception {
        var lost = loop(1, LONG);
        var before = asked();
        close();
        open();
        var answer = loop(1, LONG);
        assertThat(asked().id()).isEqualTo(before.id());

        decide(before, Decision.ACCEPT);

        assertThat(get(answer)).contains(answerBy(Decision.ACCEPT, "device:phone"));
        assertThat(lost).isNotDone();
    }

    @Test
    void readsAnswersGivenWithoutAWaitingLoop() throws Exception {
        var lost = loop(1, LONG);
        var before = asked();
        close();
        open();
        decide(before, Decision.REJECT);
        close();
        open();

        assertThat(get(loop(1, LONG))).contains(answerBy(Decision.REJECT, "device:phone"));
        assertThat(lost).isNotDone();
    }

    @Test
    void cancelsQuestionsAfterTheTimeLimit() throws Exception {
        assertThat(get(loop(1, Duration.ofMillis(20)))).isEmpty();

        assertThat(answers.pending(TENANT, session)).isEmpty();
        var row = approvals.find(session, new BridgePosition(AskerKind.PAIR.id("sums-1"), 1));
        assertThat(row.map(Approval::status)).contains("cancelled");
        assertThat(row.map(Approval::decidedBy)).contains("pair");
    }

    @Test
    void asksASeparateQuestionForEachDisagreement() throws Exception {
        var first = loop(1, LONG);
        var one = asked();
        decide(one, Decision.GO_ON);
        get(first);

        var second = loop(2, LONG);
        var two = asked();
        assertThat(two.id()).isNotEqualTo(one.id());
        decide(two, Decision.ACCEPT);

        assertThat(get(second)).contains(answerBy(Decision.ACCEPT, "device:phone"));
    }

    @Test
    void separatesRunQuestionsFromEngineQuestions() throws Exception {
        var answer = loop(1, LONG);
        var asked = asked();
        assertThat(approvals.countPending(session))
                .as("open questions prevent an engine from sleeping")
                .isZero();

        var cancelled = new ArrayList<NewEvent>();
        events.append(
                session,
                List.of(),
                (transaction, now) ->
                        cancelled.addAll(approvals.cancelOpen(transaction, session, now)));
        assertThat(cancelled).isEmpty();

        var engine = new Engine();
        var same = new CompletableFuture<Boolean>();
        approvals.ask(
                engine,
                TENANT,
                session,
                null,
                new BridgeEvent.Approval(
                        "q",
                        BridgeEvent.Approval.Kind.QUESTION,
                        asked.tool(),
                        asked.input(),
                        null,
                        null),
                new BridgePosition(engine.bridgeId(), 1),
                () -> same.complete(true),
                same::completeExceptionally);
        same.get(30, TimeUnit.SECONDS);
        assertThat(answers.pending(TENANT, session))
                .as("the engine's question is a separate one")
                .hasSize(2);

        decide(asked, Decision.ACCEPT);
        assertThat(get(answer)).contains(answerBy(Decision.ACCEPT, "device:phone"));
        assertThat(approvals.pendingNotices(session, "")).isEmpty();
    }

    private final class Engine implements Asker {
        @Override
        public SessionId session() {
            return session;
        }

        @Override
        public String bridgeId() {
            return "bridge-1";
        }

        @Override
        public void answer(BridgeCommand.Approve answer) {
            throw new AssertionError("this engine did not ask");
        }
    }
}
