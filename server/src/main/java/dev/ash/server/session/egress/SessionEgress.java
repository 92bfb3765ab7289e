package dev.ash.server.session.egress;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.egress.EgressListener;
import dev.ash.server.egress.EgressProxies;
import dev.ash.server.egress.EgressSetup;
import dev.ash.server.egress.LocalTools;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelSetup;
import dev.ash.server.egress.policy.BlockedRequest;
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

/** Opens the egress proxy of a session's sandbox, and logs blocked hosts. */
public final class SessionEgress implements Egress {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final EngineTable engines;
    private final EgressProxies proxies;
    private final ModelCredentialResolver credentials;
    private final RunnerCoordinator runners;
    private final SessionBudgets sessionBudgets;
    private final SessionEvents events;
    private final TurnStore turns;
    private final Function<SessionId, Optional<LocalTools>> tools;
    private final SessionProviderTools providerTools;
    private final boolean strictRequests;
    private final Map<SandboxId, SessionBudget> budgets = new ConcurrentHashMap<>();

    /** {@code tools} returns the server's own tools for the sandbox of a session. */
    public SessionEgress(
            EngineTable engines,
            EgressProxies proxies,
            ModelCredentialResolver credentials,
            RunnerCoordinator runners,
            SessionBudgets sessionBudgets,
            SessionEvents events,
            TurnStore turns,
            Function<SessionId, Optional<LocalTools>> tools,
            SessionProviderTools providerTools,
            boolean strictRequests) {
        this.engines = engines;
        this.proxies = proxies;
        this.credentials = credentials;
        this.runners = runners;
        this.sessionBudgets = sessionBudgets;
        this.events = events;
        this.turns = turns;
        this.tools = tools;
        this.providerTools = providerTools;
        this.strictRequests = strictRequests;
    }

    @Override
    public void requireUsableCredential(TenantId tenant, IsolationPolicy policy, String engine) {
        credentials.requireUsable(tenant, policy.credentialId(), api(engine));
    }

    private ModelApi api(String engine) {
        return ModelApi.of(engines.provider(engine));
    }

    @Override
    public void open(SessionRow session, SandboxId sandbox) throws IOException {
        var policy = session.policy();
        var budget = sessionBudgets.open(session.id(), limits(policy));
        budgets.put(sandbox, budget);
        var api = api(session.engine());
        proxies.open(
                sandbox,
                new EgressSetup(
                        runners.egressDirectory(sandbox),
                        EgressPolicy.requesting(policy.allow(), policy.open()),
                        new ModelSetup(
                                api,
                                credentials.resolver(session.tenant(), policy.credentialId(), api),
                                providerTools.permittedTools(session),
                                strictRequests,
                                budget),
                        () -> tools.apply(session.id()),
                        new Listener(session.id())));
    }

    @Override
    public EngineConfig restrictTools(SessionRow session, EngineConfig config) {
        return providerTools.restrictTools(session, config);
    }

    @Override
    public void updateBudget(SandboxId sandbox, IsolationPolicy policy) {
        var budget = budgets.get(sandbox);
        if (budget != null) {
            budget.limit(limits(policy));
        }
    }

    private static SessionBudget.Limits limits(IsolationPolicy policy) {
        return new SessionBudget.Limits(policy.maxBudgetUsd(), policy.maxTokens());
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
        public void onBlocked(BlockedRequest blocked) {
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
                    e -> LOG.log(System.Logger.Level.WARNING, "cannot log a blocked request", e));
        }

        /** Logs the first and every hundredth field, with their total number. */
        @Override
        public void onUnknownFields(List<String> paths) {
            long before = unknownFields.getAndAdd(paths.size());
            long now = before + paths.size();
            if (before == 0 || before / 100 != now / 100) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "session {0}: forwarded {1} unknown fields of model requests, such as {2}",
                        session,
                        now,
                        paths.getFirst());
            }
        }
    }
}
