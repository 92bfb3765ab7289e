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
import dev.ash.server.session.live.AsleepException;
import dev.ash.server.session.live.LiveSession;
import dev.ash.server.session.live.LiveState;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.live.SessionEnd.End;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives a session its sandbox: one that was kept warm, a new one, one on the workspace it had, or
 * the one that lived on when its server was killed. Configures the bridge in it.
 */
final class SessionLauncher {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final SessionCore core;
    private final Agents agents;
    private final Evictor evictor;

    SessionLauncher(SessionCore core, Agents agents, Evictor evictor) {
        this.core = core;
        this.agents = agents;
        this.evictor = evictor;
    }

    /**
     * Leaves the session {@code active}, or {@code error} with the reason that it also throws.
     * {@code begun} is told of the live session before the session counts as active.
     */
    LiveSession launch(SessionRow row, List<NewEvent> lifecycle, Consumer<LiveSession> begun) {
        LiveSession live = null;
        boolean fresh = row.status() == SessionStatus.STARTING;
        try {
            var sandbox = fresh ? claimOrOpen(row) : open(row);
            core.egress().open(row, sandbox.id());
            KillPoint.SANDBOX_OPENED.reached();
            live = new LiveSession(row, sandbox, core);
            live.start(0, List.of());
            configure(live, row);
            KillPoint.SANDBOX_CONFIGURED.reached();
            setUp(live, row);
            var open = core.turns().open(row.id());
            // Resumed, an engine asks at once for what it laid aside, and does not know its turn.
            if (!fresh && open.stream().noneMatch(turn -> turn.status().isDeferred())) {
                live.turns().replies().resume(row.id());
            }
            live.turns().restore(open); // a prompt that arrives now must not overtake them
            begun.accept(live);
            activate(row, sandbox, lifecycle);
            live.turns().resend(open);
            return live;
        } catch (IOException | AsleepException | RuntimeException e) {
            var why = e instanceof ApiException known ? known : ApiException.from(e);
            fail(row, live, why);
            throw why;
        }
    }

    private void activate(SessionRow row, Sandbox sandbox, List<NewEvent> lifecycle) {
        core.events()
                .append(
                        row.id(),
                        lifecycle,
                        (transaction, now) -> {
                            var started = StatusChange.started(row.status());
                            if (!core.statuses().change(transaction, row.id(), started, now)) {
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
                                            core.runners().isolation(row.policy().network()));
                        });
    }

    /** The bridge of a session that lived on, if it did; its turns go on where they are. */
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
            LOG.log(System.Logger.Level.WARNING, "session {0} was not adopted: {1}", row.id(), e);
            sandbox.get().close();
            return Optional.empty();
        }
        KillPoint.BRIDGE_ADOPTED.reached();
        try {
            configure(live, row); // the configuration may have changed since it was sent
            live.turns().resend(open);
        } catch (IOException e) {
            // The bridge has exited, or rests since an earlier server: the reader handles both.
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
        // A warm one can write in its workspace.
        return row.project() == null && !row.policy().readOnly()
                ? core.runners().claim(warmKey(row), row.id()).orElseGet(() -> open(row))
                : open(row);
    }

    /**
     * Once in the life of a workspace; a copy of another's has been set up there, and a project is
     * not the agent's to set up.
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

    /** What the server sets for a sandbox, beyond what all of them have. */
    static Map<String, String> environment(String engine) {
        return Map.of("ASH_ENGINE", engine);
    }

    private void fail(SessionRow row, @Nullable LiveSession live, ApiException why) {
        if (live != null) {
            live.closer().end(End.of(StatusChange.failed(why.message()), why.message()));
            core.runners().terminate(live.sandbox());
        } else if (row.status() == SessionStatus.STARTING
                || (why.code() != ErrorCode.CAPACITY_REACHED
                        && why.code() != ErrorCode.QUOTA_EXCEEDED)) {
            core.statuses().change(row.id(), StatusChange.failed(why.message()));
        }
    }
}
