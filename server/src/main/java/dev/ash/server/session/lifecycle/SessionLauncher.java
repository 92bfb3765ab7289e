package dev.ash.server.session.lifecycle;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.sandbox.Evictor;
import dev.ash.sandbox.LaunchIds;
import dev.ash.sandbox.ProjectRef;
import dev.ash.sandbox.Sandbox;
import dev.ash.sandbox.SandboxSpec;
import dev.ash.sandbox.WarmKey;
import dev.ash.server.agent.Agents;
import dev.ash.server.event.NewEvent;
import dev.ash.server.session.engine.EngineStart;
import dev.ash.server.session.live.AsleepException;
import dev.ash.server.session.live.LiveSession;
import dev.ash.server.session.live.LiveState;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.live.SessionEnd.End;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.session.store.TurnStore;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives a session its sandbox and configures the bridge: claims a warm sandbox, starts one with a
 * new or the existing workspace, or adopts the one of a killed server.
 */
final class SessionLauncher {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final SessionCore core;
    private final Agents agents;
    private final EngineStart engineStart;
    private final Evictor evictor;

    SessionLauncher(SessionCore core, Agents agents, EngineStart engineStart, Evictor evictor) {
        this.core = core;
        this.agents = agents;
        this.engineStart = engineStart;
        this.evictor = evictor;
    }

    /**
     * Starts the sandbox. The session is {@code active} afterwards; on failure it is {@code error},
     * with the reason that is also thrown. {@code onStart} receives the live session before the
     * session becomes active.
     */
    LiveSession launch(SessionRow row, List<NewEvent> lifecycle, Consumer<LiveSession> onStart) {
        LiveSession live = null;
        boolean isNew = row.status() == SessionStatus.STARTING;
        try {
            var sandbox = isNew ? claimOrOpen(row) : open(row);
            core.egress().open(row, sandbox.id());
            KillPoint.SANDBOX_OPENED.reached();
            live = new LiveSession(row, sandbox, core);
            live.startNew();
            configure(live, row);
            KillPoint.SANDBOX_CONFIGURED.reached();
            setUp(live, row);
            var open = isNew ? List.<TurnStore.OpenTurn>of() : core.turns().open(row.id());
            startEngine(live, row, open);
            live.turns().restore(open); // before new prompts can arrive
            onStart.accept(live);
            activate(row, sandbox, lifecycle);
            live.turns().resend(open);
            return live;
        } catch (IOException | AsleepException | RuntimeException e) {
            var failure = e instanceof ApiException known ? known : ApiException.from(e);
            fail(row, live, failure);
            throw failure;
        }
    }

    /** Called after the set-up scripts, which may install what the engine needs. */
    private void startEngine(LiveSession live, SessionRow row, List<TurnStore.OpenTurn> open)
            throws IOException {
        if (row.status() == SessionStatus.STARTING) {
            if (engineStart == EngineStart.WITH_SESSION && !live.isPlain()) {
                live.send(new BridgeCommand.Start());
            }
        } else if (open.stream().noneMatch(turn -> turn.status().isDeferred())) {
            // A resumed engine asks its deferred question immediately, without naming its turn.
            live.turns().replies().resume(row.id());
        }
    }

    /**
     * Checks the sandbox, too: if it exited after it was started from {@code error}, the status was
     * and is {@code error}. A loss that is logged later changes the status back.
     */
    private void activate(SessionRow row, Sandbox sandbox, List<NewEvent> lifecycle) {
        core.events()
                .append(
                        row.id(),
                        lifecycle,
                        (transaction, now) -> {
                            var started = StatusChange.started(row.status());
                            if (!sandbox.isAlive()
                                    || !core.statuses()
                                            .change(transaction, row.id(), started, now)) {
                                throw new ApiException(
                                        ErrorCode.SANDBOX_FAILED,
                                        "The sandbox failed right after its start; the next message"
                                                + " starts it again");
                            }
                            core.sessions()
                                    .setSandbox(
                                            transaction,
                                            row.id(),
                                            sandbox.id(),
                                            core.runners().isolation(row.policy().network()),
                                            now);
                        });
    }

    /** Adopts the bridge of a killed server, if it still runs; its turns continue. */
    public Optional<LiveSession> adopt(SessionRow row, String nonce) {
        var sandbox = core.runners().adopt(row.tenant(), row.sandbox(), nonce);
        if (sandbox.isEmpty()) {
            return Optional.empty();
        }
        var live = new LiveSession(row, sandbox.get(), core);
        var open = core.turns().open(row.id());
        try {
            core.egress().open(row, row.sandbox());
            if (row.status() == SessionStatus.ERROR) {
                live.turns().change(LiveState::engineFailed); // until it is resumed
            }
            live.start(core.events().lastOfBridge(row.id(), nonce), open);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "cannot adopt the bridge of session {0}: {1}",
                    row.id(),
                    e);
            sandbox.get().close();
            return Optional.empty();
        }
        KillPoint.BRIDGE_ADOPTED.reached();
        try {
            configure(live, row); // the configuration may have changed since it was sent
            live.turns().resend(open);
        } catch (IOException e) {
            // The bridge has exited, or rests for an earlier server: the reader handles both.
            live.closer().awaitClosed();
        }
        if (live.isAlive()) {
            core.approvals().resendDecisions(live);
        }
        return Optional.of(live);
    }

    private void configure(LiveSession live, SessionRow row) throws IOException {
        if (!live.isPlain()) {
            var config = core.egress().restrictTools(row, row.config());
            live.send(new BridgeCommand.Configure(row.id().value(), config));
        }
    }

    private Sandbox claimOrOpen(SessionRow row) {
        // The workspace of a warm sandbox is writable.
        return row.project() == null && !row.policy().readOnly()
                ? core.runners().claim(warmKey(row)).orElseGet(() -> open(row))
                : open(row);
    }

    /**
     * Runs the set-up scripts once for each workspace. That of a fork was set up in the original,
     * and a project is not set up by agents.
     */
    private void setUp(LiveSession live, SessionRow row) throws AsleepException {
        if (row.project() != null) {
            return;
        }
        var agent = agents.directory(row.agent().agentId(), row.agent().version());
        if (agent.isEmpty() || !SetupScripts.exist(agent.get()) || row.parent() != null) {
            return;
        }
        if (!core.sessions().isSetUp(row.id())) {
            SetupScripts.run(live, agent.get());
            core.sessions().markSetUp(row.id());
        }
    }

    private static WarmKey warmKey(SessionRow row) {
        return new WarmKey(
                row.tenant(),
                row.agent(),
                row.setup().engine(),
                row.policy().limits(),
                row.policy().network());
    }

    private Sandbox open(SessionRow row) {
        return core.runners()
                .open(
                        row.tenant(),
                        new SandboxSpec(
                                row.sandbox(),
                                row.id(),
                                row.agent(),
                                environment(row.engine()),
                                row.policy().limits(),
                                row.policy().network(),
                                row.project() == null
                                        ? null
                                        : new ProjectRef(row.tenant(), row.project().toString()),
                                row.policy().readOnly(),
                                LaunchIds.random()),
                        evictor);
    }

    /** Returns the variables of this sandbox, in addition to those of all sandboxes. */
    static Map<String, String> environment(String engine) {
        return Map.of("ASH_ENGINE", engine);
    }

    private void fail(SessionRow row, @Nullable LiveSession live, ApiException failure) {
        if (live != null) {
            live.closer().end(End.of(StatusChange.failed(failure.message()), failure.message()));
            core.runners().terminate(live.sandbox());
        } else if (row.status() == SessionStatus.STARTING
                || (failure.code() != ErrorCode.CAPACITY_REACHED
                        && failure.code() != ErrorCode.QUOTA_EXCEEDED)) {
            core.statuses().change(row.id(), StatusChange.failed(failure.message()));
        }
    }
}
