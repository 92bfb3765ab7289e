package dev.ash.server.session.egress;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.egress.EgressListener;
import dev.ash.server.egress.EgressProxies;
import dev.ash.server.egress.EgressSetup;
import dev.ash.server.egress.LocalTools;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelSetup;
import dev.ash.server.egress.model.request.RequestPolicy;
import dev.ash.server.egress.policy.Blocked;
import dev.ash.server.egress.policy.EgressPolicy;
import dev.ash.server.event.Commit;
import dev.ash.server.event.EventType;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.isolation.IsolationPolicy;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.live.Egress;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.TurnStore;
import dev.ash.server.spending.SessionBudget;
import dev.ash.server.spending.SessionBudgets;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Opens the proxy of a sandbox for the session that has it, and logs what comes of that. */
public final class SessionEgress implements Egress {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final EgressProxies proxies;
    private final ModelCredentialResolver accounts;
    private final RunnerCoordinator runners;
    private final SessionBudgets sessionBudgets;
    private final SessionEvents events;
    private final TurnStore turns;
    private final Function<SessionId, Optional<LocalTools>> tools;
    private final SessionProviderTools providerTools;
    private final boolean strictRequests;
    private final Map<SandboxId, SessionBudget> budgets = new ConcurrentHashMap<>();

    /** {@code tools} tells what the server itself offers to the sandbox of a session. */
    public SessionEgress(
            EgressProxies proxies,
            ModelCredentialResolver accounts,
            RunnerCoordinator runners,
            SessionBudgets ledger,
            SessionEvents events,
            TurnStore turns,
            Function<SessionId, Optional<LocalTools>> tools,
            SessionProviderTools providerTools,
            boolean strictRequests) {
        this.proxies = proxies;
        this.accounts = accounts;
        this.runners = runners;
        this.sessionBudgets = ledger;
        this.events = events;
        this.turns = turns;
        this.tools = tools;
        this.providerTools = providerTools;
        this.strictRequests = strictRequests;
    }

    @Override
    public void requireUsableCredential(TenantId tenant, IsolationPolicy wall, String engine) {
        accounts.requireUsable(tenant, wall.credentialId(), ModelApi.of(engine));
    }

    @Override
    public void open(SessionRow session, SandboxId sandbox) throws IOException {
        var wall = session.policy();
        var budget = sessionBudgets.open(session.id(), limits(wall));
        budgets.put(sandbox, budget);
        var api = ModelApi.of(session.engine());
        proxies.open(
                sandbox,
                new EgressSetup(
                        runners.egressDirectory(sandbox),
                        EgressPolicy.requesting(wall.allow(), wall.open()),
                        new ModelSetup(
                                api,
                                () -> accounts.resolve(session.tenant(), wall.credentialId(), api),
                                new RequestPolicy(
                                        api.provider(),
                                        providerTools.permittedTools(session),
                                        strictRequests),
                                budget),
                        () -> tools.apply(session.id()),
                        new Listener(session.id())));
    }

    @Override
    public EngineConfig restrictTools(SessionRow session, EngineConfig config) {
        return providerTools.restrictTools(session, config);
    }

    @Override
    public void updateBudget(SandboxId sandbox, IsolationPolicy wall) {
        var budget = budgets.get(sandbox);
        if (budget != null) {
            budget.limit(limits(wall));
        }
    }

    private static SessionBudget.Limits limits(IsolationPolicy wall) {
        return new SessionBudget.Limits(wall.maxBudgetUsd(), wall.maxTokens());
    }

    @Override
    public void close(SandboxId sandbox) {
        budgets.remove(sandbox);
        proxies.close(sandbox);
    }

    private final class Listener implements EgressListener {
        private final SessionId session;
        private final AtomicLong unknownFields = new AtomicLong();

        private Listener(SessionId session) {
            this.session = session;
        }

        @Override
        public void blocked(Blocked blocked) {
            var data =
                    JsonWriter.object()
                            .put("host", blocked.host())
                            .put("port", blocked.port())
                            .put("reason", blocked.reason())
                            .end();
            events.submit(
                    session,
                    (transaction, _) -> {
                        var turn = turns.running(transaction, session).orElse(null);
                        return Commit.of(
                                List.of(
                                        NewEvent.of(
                                                session,
                                                turn,
                                                EventType.NETWORK_BLOCKED,
                                                data,
                                                null)));
                    },
                    _ -> {},
                    why -> LOG.log(System.Logger.Level.WARNING, "not logged: blocked host", why));
        }

        /** The log has the first and every hundredth, with how many there were. */
        @Override
        public void unknownFields(List<String> paths) {
            long before = unknownFields.getAndAdd(paths.size());
            long now = before + paths.size();
            if (before == 0 || before / 100 != now / 100) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "session {0}: {1} fields of model requests that Ash does not know were"
                                + " forwarded, such as {2}",
                        session,
                        now,
                        paths.getFirst());
            }
        }
    }
}
