package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePlace;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Transaction;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Questions that engines ask, and their answers. */
@SuppressWarnings({"unused", "DoNotCallSuggester"})
public final class Approvals implements AutoCloseable {

    /** {@code timeToLive}: how long a question stays open; for ever where there is none. */
    public Approvals(
            ApprovalStore store,
            SessionEvents events,
            Clock clock,
            Optional<Duration> timeToLive) {}

    /** Said once, before {@link #start}. */
    public void answerThrough(Askers askers) {}

    /**
     * Begins to let questions expire, and wakes turns whose answer came before the server ended.
     * Called once sessions are recovered.
     */
    public void start() {}

    /**
     * A bridge asks, perhaps again. Returns at once; {@code committed} and {@code failed} run on
     * the writer's thread. {@code turn} is the open turn that the question belongs to.
     */
    public void asked(
            Asker bridge,
            TenantId tenant,
            SessionId session,
            @Nullable TurnId turn,
            BridgeEvent.Approval question,
            BridgePlace place,
            Runnable committed,
            Consumer<ApiException> failed) {
        throw new UnsupportedOperationException();
    }

    /** The engine does not wait any more; {@code place} is that of {@code approval_gone}. */
    public void gone(
            SessionId session,
            BridgePlace place,
            String question,
            Runnable committed,
            Consumer<ApiException> failed) {
        throw new UnsupportedOperationException();
    }

    /** The server has taken up a bridge that lived on: it is told what was decided meanwhile. */
    public void adopted(Asker bridge) {
        throw new UnsupportedOperationException();
    }

    /**
     * A bridge laid a question aside ({@code resting}), in the unit that makes its turn {@code
     * deferred}. A decision that was on its way to it is free again for the call that {@code
     * continue} repeats. Returns whether there is a decision already, so that after the commit the
     * session must go on with the turn at once.
     */
    public boolean laidAside(
            Transaction transaction, SessionId session, String bridgeId, String question) {
        throw new UnsupportedOperationException();
    }

    /**
     * Cancels all open questions of a session that ends, and returns the events to log in the same
     * unit. {@code SessionEvents} reads its list of events after the unit's statements, so a caller
     * fills a list there (clearing it first: a unit may run twice).
     */
    public List<NewEvent> cancelOpen(Transaction transaction, SessionId session, long now) {
        throw new UnsupportedOperationException();
    }

    /** The same for one turn, interrupted while it was laid aside. */
    public List<NewEvent> cancelOpen(
            Transaction transaction, SessionId session, TurnId turn, long now) {
        throw new UnsupportedOperationException();
    }

    /** What the next prompt should tell the engine; {@link #told} in the unit that logs it. */
    public List<Told> toTell(SessionId session) {
        throw new UnsupportedOperationException();
    }

    public void told(Transaction transaction, List<Told> told, long now) {
        throw new UnsupportedOperationException();
    }

    /** How many questions of a session are open. */
    public int openOf(SessionId session) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
