package dev.ash.server.hooks;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.AskerKind;
import dev.ash.server.event.NewEvent.BridgePosition;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Manages terminals that wait for an answer with an open connection. To {@link Approvals} all of
 * them are one asker, which exists until the server stops: no answer outlives the connection that
 * waits for it.
 */
final class HookQuestions {
    private static final System.Logger LOG = System.getLogger("ash.hooks");

    /** Protects against abuse: each question is a tool call that a user reviews. */
    private static final int MAX_OPEN = 1000;

    /** The interval for detecting closed connections. */
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    /** Added to the timeout on a monotonic clock; the clock of approvals may be set back. */
    private static final Duration GRACE_PERIOD = Duration.ofSeconds(3);

    private final Approvals approvals;
    private final Duration timeout;
    private final String askerId = AskerKind.HOOKS.id(UUID.randomUUID().toString());
    private final AtomicLong positionCounter = new AtomicLong();
    private final Map<String, Question> open = new ConcurrentHashMap<>();
    private volatile boolean closed;

    HookQuestions(Approvals approvals, Duration timeout) {
        this.approvals = approvals;
        this.timeout = timeout;
    }

    /** Checks the connection of a terminal by writing to it; fails if it is closed. */
    interface ConnectionCheck {
        void check() throws IOException;
    }

    /** Returns the asker of a session with open questions. */
    Optional<Asker> askerOf(SessionId session) {
        return open.values().stream().anyMatch(question -> question.event.session().equals(session))
                ? Optional.of(new Terminal(session))
                : Optional.empty();
    }

    /**
     * Records a question, which the caller closes. Empty if the event names no tool, too many
     * questions are open, or the timeout is zero.
     *
     * @param callId the id of the tool call, if known
     */
    Optional<Question> ask(HookSession session, HookEvent event, @Nullable String callId) {
        if (closed || event.tool().isEmpty() || timeout.isZero() || open.size() >= MAX_OPEN) {
            return Optional.empty();
        }
        var question = new Question(UUID.randomUUID().toString(), event);
        open.put(question.id, question);
        var committed = new CompletableFuture<Boolean>();
        approvals.ask(
                new Terminal(session.id()),
                session.tenant(),
                session.id(),
                null,
                new BridgeEvent.Approval(
                        question.id,
                        event.kind(),
                        event.tool(),
                        event.toolInput(),
                        callId,
                        event.description()),
                event.riskLevel(),
                nextPosition(),
                () -> committed.complete(true),
                committed::completeExceptionally);
        try {
            committed.join();
            return Optional.of(question);
        } catch (CompletionException e) {
            open.remove(question.id);
            throw ApiException.from(e.getCause() == null ? e : e.getCause());
        }
    }

    /** Closes matching questions: they were answered in the terminal, or the turn has ended. */
    void closeMatching(SessionId session, Predicate<HookEvent> matches) {
        for (var question : open.values()) {
            if (question.event.session().equals(session) && matches.test(question.event)) {
                question.answer.complete(Optional.empty());
            }
        }
    }

    void close() {
        closed = true;
        open.values().forEach(question -> question.answer.complete(Optional.empty()));
    }

    private BridgePosition nextPosition() {
        return new BridgePosition(askerId, positionCounter.incrementAndGet());
    }

    /** An open question of a terminal. */
    final class Question implements AutoCloseable {
        private final String id;
        private final HookEvent event;
        private final CompletableFuture<Optional<Approve>> answer = new CompletableFuture<>();

        private Question(String id, HookEvent event) {
            this.id = id;
            this.event = event;
        }

        /** Waits for the decision; empty on timeout, or if the user answered in the terminal. */
        Optional<Approve> await(ConnectionCheck connection)
                throws IOException, InterruptedException {
            long deadline = System.nanoTime() + timeout.plus(GRACE_PERIOD).toNanos();
            while (System.nanoTime() < deadline) {
                try {
                    return answer.get(CHECK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    connection.check();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            }
            return answer.getNow(Optional.empty());
        }

        /** Cancels the question unless it is decided. */
        @Override
        public void close() {
            open.remove(id);
            approvals.abandon(
                    event.session(),
                    nextPosition(),
                    id,
                    () -> {},
                    e -> LOG.log(Level.WARNING, "cannot cancel a question of a terminal: {0}", e));
        }
    }

    private final class Terminal implements Asker {
        private final SessionId session;

        private Terminal(SessionId session) {
            this.session = session;
        }

        @Override
        public SessionId session() {
            return session;
        }

        @Override
        public AskerKind kind() {
            return AskerKind.HOOKS;
        }

        @Override
        public String bridgeId() {
            return askerId;
        }

        @Override
        public void answer(Approve answer) {
            complete(answer.id(), Optional.of(answer));
        }

        @Override
        public void onUnanswered(Approve rejection) {
            complete(rejection.id(), Optional.empty());
        }

        @Override
        public Optional<Duration> answerTimeout() {
            return Optional.of(timeout);
        }

        private void complete(String id, Optional<Approve> answer) {
            var question = open.get(id);
            if (question != null) {
                question.answer.complete(answer);
            }
        }
    }
}
