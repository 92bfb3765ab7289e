package dev.ash.server.pair;

import dev.ash.pair.PeerName;
import dev.ash.pair.loop.Peer;
import dev.ash.pair.loop.PeerFailedException;
import dev.ash.pair.loop.PeerFailedException.Kind;
import dev.ash.pair.loop.Reply;
import dev.ash.pair.loop.Usage;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.session.SessionService;
import dev.ash.server.session.SessionService.StartedTurn;
import java.time.Duration;

/** A peer that runs its turns in a session. */
final class SessionPeer implements Peer {
    /** How long to wait for the end of an interrupted turn. */
    private static final Duration INTERRUPT_TIMEOUT = Duration.ofSeconds(30);

    private final SessionService sessions;
    private final TenantId tenant;
    private final SessionId session;
    private final PeerName name;
    private final String run;

    SessionPeer(
            SessionService sessions,
            TenantId tenant,
            SessionId session,
            PeerName name,
            String run) {
        this.sessions = sessions;
        this.tenant = tenant;
        this.session = session;
        this.name = name;
        this.run = run;
    }

    @Override
    public PeerName name() {
        return name;
    }

    @Override
    public Reply runTurn(String key, String prompt, Duration limit)
            throws PeerFailedException, InterruptedException {
        try (var turn = begin(run + " " + key, prompt)) {
            return follow(turn, limit);
        } catch (ApiException e) {
            throw new PeerFailedException(
                    e.code().recoverable() ? Kind.TRANSIENT : Kind.PERMANENT,
                    "Cannot start a turn of %s: %s".formatted(name, e.message()));
        } catch (InterruptedException e) {
            interruptTurn();
            throw e;
        }
    }

    private StartedTurn begin(String key, String prompt) {
        try {
            return sessions.startTurn(tenant, session, prompt, key);
        } catch (ApiException e) {
            if (e.code() != ErrorCode.SESSION_NOT_ACTIVE) {
                throw e;
            }
            sessions.resume(tenant, session); // it failed or was paused
            return sessions.startTurn(tenant, session, prompt, key);
        }
    }

    private Reply follow(StartedTurn turn, Duration limit)
            throws PeerFailedException, InterruptedException {
        var result = new TurnResultReader(turn.turn());
        if (result.awaitEnd(turn.events(), limit)) {
            return Reply.finished(result.requireText(name));
        }
        sessions.interrupt(tenant, session);
        result.awaitEnd(turn.events(), INTERRUPT_TIMEOUT);
        return new Reply(result.partialText(), Reply.End.TIMED_OUT);
    }

    private void interruptTurn() {
        try {
            sessions.interrupt(tenant, session);
        } catch (ApiException e) {
            // The session has ended, and its turn with it.
        }
    }

    @Override
    public Usage usage() {
        var usage = sessions.find(tenant, session).usage();
        return usage == null
                ? Usage.NONE
                : new Usage(
                        usage.inputTokens() + usage.cacheCreationTokens() + usage.cacheReadTokens(),
                        usage.outputTokens(),
                        usage.costUsd());
    }
}
