package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.sandbox.SandboxSpec;
import dev.ash.server.agent.Agents;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.runner.RunnerCoordinator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gives a session its sandbox, new or on the workspace it had, and configures the bridge in it. */
public final class SessionLauncher {
    private final SessionStore store;
    private final TurnStore turns;
    private final SessionEvents events;
    private final Agents agents;
    private final RunnerCoordinator runners;

    public SessionLauncher(
            SessionStore store,
            TurnStore turns,
            SessionEvents events,
            Agents agents,
            RunnerCoordinator runners) {
        this.store = store;
        this.turns = turns;
        this.events = events;
        this.agents = agents;
        this.runners = runners;
    }

    /**
     * Leaves the session {@code active}, or {@code error} with the reason that it also throws.
     * {@code begun} is told of the live session before the session counts as active.
     */
    void launch(SessionRow row, List<NewEvent> lifecycle, Consumer<LiveSession> begun) {
        LiveSession live = null;
        try {
            var sandbox = runners.open(row.tenant(), spec(row));
            live = new LiveSession(row.id(), sandbox, events, store, turns, runners);
            live.start();
            if (live.speaksOurs()) {
                live.send(new BridgeCommand.Configure(row.id().value(), row.config()));
            }
            if (row.status() != SessionStatus.STARTING) {
                live.resumeConversation();
            }
            begun.accept(live);
            events.appendNow(
                    row.id(),
                    lifecycle,
                    (transaction, now) -> {
                        store.status(transaction, row.id(), SessionStatus.ACTIVE, null, null, now);
                        store.isolation(transaction, row.id(), runners.isolation());
                    });
        } catch (IOException | RuntimeException e) {
            var why = e instanceof ApiException known ? known : ApiException.known(e);
            fail(row, live, why);
            throw why;
        }
    }

    private void fail(SessionRow row, @Nullable LiveSession live, ApiException why) {
        if (live != null) {
            live.end(SessionStatus.ERROR, null, why.sentence(), List.of());
            runners.end(row.sandbox());
            return;
        }
        events.appendNow(
                row.id(),
                List.of(),
                (transaction, now) ->
                        store.status(
                                transaction,
                                row.id(),
                                SessionStatus.ERROR,
                                null,
                                why.sentence(),
                                now));
    }

    private SandboxSpec spec(SessionRow row) {
        return new SandboxSpec(
                row.sandbox(),
                row.id(),
                row.agentName(),
                agentFolder(row),
                Map.of("ASH_ENGINE", row.engine()));
    }

    private Path agentFolder(SessionRow row) {
        return agents.folder(row.agentId(), row.agentVersion())
                .orElseThrow(
                        () ->
                                new ApiException(
                                        ErrorCode.AGENT_UNUSABLE,
                                        "The files of agent \"%s\" are gone from the server; deploy it"
                                                        .formatted(row.agentName())
                                                + " again and create a new session"));
    }
}
