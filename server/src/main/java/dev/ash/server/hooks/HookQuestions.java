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
 * Terminals that wait for an answer, each with its connection open. To the approvals all of them
 * together are one asker that lives as long as this server: no answer outlives the connection that
 * waits for it.
 */
final class HookQuestions {
    private static final System.Logger LOG = System.getLogger("ash.hooks");

    /** More only wait if somebody means to do harm: each is a tool call that a person looks at. */
    private static final int ROOM = 1000;

    /** How soon a terminal that went away is noticed. */
    private static final Duration STILL_THERE = Duration.ofSeconds(1);

    /** The clock of the approvals may be set back; this one cannot. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final Approvals approvals;
    private final Duration patience;
    private final String askerId = AskerKind.HOOKS.id(UUID.randomUUID().toString());
    private final AtomicLong places = new AtomicLong();
    private final Map<String, Question> open = new ConcurrentHashMap<>();
    private volatile boolean closed;

    HookQuestions(Approvals approvals, Duration patience) {
        this.approvals = approvals;
        this.patience = patience;
    }

    /** Says something on the connection of a terminal, which fails once that is gone. */
    interface StillThere {
        void ask() throws IOException;
    }

    /** The asker of a session in which somebody waits. */
    Optional<Asker> askerOf(SessionId session) {
        return open.values().stream().anyMatch(question -> question.event.session().equals(session))
                ? Optional.of(new Terminal(session))
                : Optional.empty();
    }

    /**
     * A committed question, to be closed; none where there is no tool, no room, no patience.
     *
     * @param callId the id of the tool call, if it is known
     */
    Optional<Question> ask(HookSession session, HookEvent event, @Nullable String callId) {
        if (closed || event.tool().isEmpty() || patience.isZero() || open.size() >= ROOM) {
            return Optional.empty();
        }
        var question = new Question(UUID.randomUUID().toString(), event);
        open.put(question.id, question);
        var committed = new CompletableFuture<Boolean>();
        approvals.asked(
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
                place(),
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

    /** These need no answer any more: the terminal has it, or its turn is over. */
    void over(SessionId session, Predicate<HookEvent> which) {
        for (var question : open.values()) {
            if (question.event.session().equals(session) && which.test(question.event)) {
                question.answered.complete(Optional.empty());
            }
        }
    }

    void close() {
        closed = true;
        open.values().forEach(question -> question.answered.complete(Optional.empty()));
    }

    private BridgePosition place() {
        return new BridgePosition(askerId, places.incrementAndGet());
    }

    /** One terminal that waits. */
    final class Question implements AutoCloseable {
        private final String id;
        private final HookEvent event;
        private final CompletableFuture<Optional<Approve>> answered = new CompletableFuture<>();

        private Question(String id, HookEvent event) {
            this.id = id;
            this.event = event;
        }

        /** The decision, or none: nobody answered in time, or the terminal did by itself. */
        Optional<Approve> await(StillThere terminal) throws IOException, InterruptedException {
            long deadline = System.nanoTime() + patience.plus(GRACE).toNanos();
            while (System.nanoTime() < deadline) {
                try {
                    return answered.get(STILL_THERE.toNanos(), TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    terminal.ask();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            }
            return answered.getNow(Optional.empty());
        }

        /** Cancels what nobody answered; does nothing to what somebody did. */
        @Override
        public void close() {
            open.remove(id);
            approvals.gone(
                    event.session(),
                    place(),
                    id,
                    () -> {},
                    e -> LOG.log(Level.WARNING, "a question of a terminal stays open: {0}", e));
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
            tell(answer.id(), Optional.of(answer));
        }

        @Override
        public void unanswered(Approve refusal) {
            tell(refusal.id(), Optional.empty());
        }

        @Override
        public Optional<Duration> patience() {
            return Optional.of(patience);
        }

        private void tell(String id, Optional<Approve> answer) {
            var question = open.get(id);
            if (question != null) {
                question.answered.complete(answer);
            }
        }
    }
}
