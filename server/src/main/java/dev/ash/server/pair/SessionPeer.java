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

/** A session as a member of a pair. */
final class SessionPeer implements Peer {
    /** How long an interrupted turn may take to end. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(30);

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
    public Reply ask(String key, String prompt, Duration limit)
            throws PeerFailedException, InterruptedException {
        try (var asked = begin(run + " " + key, prompt)) {
            return follow(asked, limit);
        } catch (ApiException e) {
            throw new PeerFailedException(
                    e.code().recoverable() ? Kind.PASSING : Kind.LASTING,
                    "%s cannot be asked: %s".formatted(name, e.message()));
        } catch (InterruptedException e) {
            stop();
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
            sessions.resume(tenant, session); // it failed before, or somebody paused it
            return sessions.startTurn(tenant, session, prompt, key);
        }
    }

    private Reply follow(StartedTurn asked, Duration limit)
            throws PeerFailedException, InterruptedException {
        var words = new TurnResultReader(asked.turn());
        if (words.follow(asked.events(), limit)) {
            return Reply.finished(words.text(name));
        }
        sessions.interrupt(tenant, session);
        words.follow(asked.events(), LAST_WORDS);
        return new Reply(words.soFar(), Reply.End.TIMED_OUT);
    }

    private void stop() {
        try {
            sessions.interrupt(tenant, session);
        } catch (ApiException e) {
            // It has ended, and its turn with it.
        }
    }

    @Override
    public Usage used() {
        var used = sessions.find(tenant, session).usage();
        return used == null
                ? Usage.NONE
                : new Usage(
                        used.inputTokens() + used.cacheCreationTokens() + used.cacheReadTokens(),
                        used.outputTokens(),
                        used.costUsd());
    }
}
