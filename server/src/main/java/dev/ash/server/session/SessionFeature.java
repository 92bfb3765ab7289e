package dev.ash.server.session;

import dev.ash.protocol.SessionId;
import dev.ash.server.agent.Agents;
import dev.ash.server.approval.Approvals;
import dev.ash.server.egress.EgressProxies;
import dev.ash.server.egress.LocalTools;
import dev.ash.server.event.EventLog;
import dev.ash.server.event.EventPolls;
import dev.ash.server.event.LogCopyStore;
import dev.ash.server.http.Endpoint;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.project.Projects;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.egress.ModelCredentialResolver;
import dev.ash.server.session.egress.SessionEgress;
import dev.ash.server.session.egress.SessionProviderTools;
import dev.ash.server.session.engine.EngineRoutes;
import dev.ash.server.session.engine.EngineStart;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.session.file.SessionFileRoutes;
import dev.ash.server.session.file.SessionFiles;
import dev.ash.server.session.file.SessionLogs;
import dev.ash.server.session.lifecycle.LiveSessions;
import dev.ash.server.session.lifecycle.SessionForks;
import dev.ash.server.session.lifecycle.SessionPurger;
import dev.ash.server.session.lifecycle.SessionRegistrar;
import dev.ash.server.session.lifecycle.SessionSleeper;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.recovery.SessionRecovery;
import dev.ash.server.session.store.IdempotencyKeyStore;
import dev.ash.server.session.store.SessionStatusStore;
import dev.ash.server.session.store.SessionStore;
import dev.ash.server.session.store.TurnStore;
import dev.ash.server.session.turn.TurnRoutes;
import dev.ash.server.session.turn.Turns;
import dev.ash.server.spending.SessionBudgets;
import dev.ash.server.store.Housekeeping.Task;
import dev.ash.server.store.Storage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Assembles sessions: their stores, lifecycle, turns, files and REST API. */
public final class SessionFeature implements AutoCloseable {
    private final Dependencies dependencies;
    private final SessionCore core;
    private final SessionBudgets budgets;
    private final IdempotencyKeyStore keys;
    private final LiveSessions live;
    private final SessionSleeper sleeper;
    private final Sessions sessions;
    private final Turns turns;
    private final SessionForks forks;
    private final SessionRecovery recovery;
    private final SessionLogs logs;
    private final SessionPurger purger;

    /** {@code tools} returns the server's own tools for the sandbox of a session. */
    public record Dependencies(
            Storage storage,
            EventLog log,
            Approvals approvals,
            Agents agents,
            Engines engines,
            RunnerCoordinator runners,
            EgressProxies proxies,
            ModelCredentialResolver modelCredentials,
            Projects projects,
            QuotaStore quotas,
            Function<SessionId, Optional<LocalTools>> tools) {}

    /** {@code retention}: the time after which an ended session is removed; empty for never. */
    public record Settings(
            EngineStart engineStart,
            IsolationRules isolation,
            boolean strictModelRequests,
            Duration idleTimeout,
            Optional<Duration> retention) {}

    public SessionFeature(Dependencies dependencies, Settings settings) {
        this.dependencies = dependencies;
        var database = dependencies.storage().database();
        var clock = dependencies.storage().clock();
        var events = dependencies.log().events();
        var turnStore = new TurnStore(database, clock);
        this.budgets = new SessionBudgets(database, clock);
        this.keys = new IdempotencyKeyStore(database);
        var egress =
                new SessionEgress(
                        dependencies.engines().table(),
                        dependencies.proxies(),
                        dependencies.modelCredentials(),
                        dependencies.runners(),
                        budgets,
                        events,
                        turnStore,
                        dependencies.tools(),
                        new SessionProviderTools(dependencies.agents(), settings.isolation()),
                        settings.strictModelRequests());
        this.core =
                new SessionCore(
                        events,
                        new SessionStore(database, dependencies.storage().sealer()),
                        new SessionStatusStore(database, clock),
                        turnStore,
                        dependencies.runners(),
                        dependencies.approvals(),
                        egress,
                        dependencies.projects(),
                        dependencies.quotas());
        this.live = new LiveSessions(core, dependencies.agents(), settings.engineStart());
        this.sleeper = new SessionSleeper(core, live, settings.idleTimeout());
        var registrar =
                new SessionRegistrar(
                        core,
                        dependencies.agents(),
                        dependencies.engines(),
                        settings.isolation(),
                        keys,
                        clock);
        this.sessions = new Sessions(core, live, registrar);
        this.turns = new Turns(core, live, keys);
        this.forks = new SessionForks(sessions, live, core, new LogCopyStore(database), clock);
        this.recovery = new SessionRecovery(core, live);
        this.logs = new SessionLogs(dependencies.runners()::logDirectory, clock);
        this.purger =
                new SessionPurger(database, sessions, live, core, clock, settings.retention());
    }

    /** Returns the session operations for other features. */
    public SessionService service() {
        return new SessionService(
                sessions,
                turns,
                core.sessions(),
                dependencies.agents(),
                dependencies.engines(),
                dependencies.runners());
    }

    public SessionFiles files() {
        return SessionFiles.of(sessions, core);
    }

    public LiveSessions live() {
        return live;
    }

    public SessionSleeper sleeper() {
        return sleeper;
    }

    public Sessions sessions() {
        return sessions;
    }

    public Turns turns() {
        return turns;
    }

    public RunnerCoordinator runners() {
        return dependencies.runners();
    }

    public Engines engines() {
        return dependencies.engines();
    }

    public SessionStore store() {
        return core.sessions();
    }

    /** {@code cleanUp} runs when a session is to be removed. */
    public List<Endpoint> endpoints(String version, TurnRoutes.Timings timings, Runnable cleanUp) {
        var log = dependencies.log();
        var polls = new EventPolls(log.views(), log.events());
        return Stream.of(
                        new SessionRoutes(
                                        sessions,
                                        forks,
                                        core.sessions(),
                                        log.views(),
                                        polls,
                                        logs,
                                        purger,
                                        cleanUp)
                                .endpoints(),
                        new TurnRoutes(turns, sessions, log.events(), version, timings).endpoints(),
                        new SessionFileRoutes(files()).endpoints(),
                        new EngineRoutes(engines()).endpoints())
                .flatMap(List::stream)
                .toList();
    }

    public List<Task> tasks() {
        var clock = dependencies.storage().clock();
        return List.of(
                new Task("the removal of sessions", purger.work()),
                new Task(
                        "the removal of idempotency keys",
                        () -> keys.deleteExpired(clock.millis())),
                new Task("the removal of read output", logs::prune));
    }

    /** Recovers the sessions of a killed server, before this server accepts requests. */
    public void recover() {
        budgets.recover();
        recovery.run();
    }

    /** Starts background work, once the server accepts requests. */
    public void start() {
        recovery.resumeQueues();
        sleeper.start();
    }

    /** Closes all sandboxes; their sessions wake with their next message. */
    public void shutDown() {
        sleeper.shutDown();
    }

    @Override
    public void close() {
        sleeper.close();
    }
}
