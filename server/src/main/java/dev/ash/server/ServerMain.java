package dev.ash.server;

import dev.ash.pair.run.RunFolders;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.sandbox.SandboxConfig;
import dev.ash.server.agent.AgentFileRoutes;
import dev.ash.server.agent.AgentFolders;
import dev.ash.server.agent.AgentRoots;
import dev.ash.server.agent.AgentRoutes;
import dev.ash.server.agent.AgentStore;
import dev.ash.server.agent.Agents;
import dev.ash.server.approval.ApprovalRoutes;
import dev.ash.server.approval.ApprovalStore;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.AskerKind;
import dev.ash.server.credential.CredentialRoutes;
import dev.ash.server.credential.Credentials;
import dev.ash.server.device.CursorStore;
import dev.ash.server.device.DeviceCursors;
import dev.ash.server.device.Devices;
import dev.ash.server.device.NotificationStore;
import dev.ash.server.egress.EgressProxies;
import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.model.Placeholders;
import dev.ash.server.event.EventPolls;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.EventViews;
import dev.ash.server.event.LogCopyStore;
import dev.ash.server.event.LogSizeStore;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.gateway.Gateway;
import dev.ash.server.health.HealthRoutes;
import dev.ash.server.health.MetricsRoutes;
import dev.ash.server.hooks.HookRoutes;
import dev.ash.server.hooks.HookToken;
import dev.ash.server.hooks.Hooks;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.HttpServer;
import dev.ash.server.http.Sockets;
import dev.ash.server.http.Spool;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.pair.MailboxRoutes;
import dev.ash.server.pair.Mailboxes;
import dev.ash.server.pair.PairQuestions;
import dev.ash.server.pair.PairRoutes;
import dev.ash.server.pair.PeerEndpoints;
import dev.ash.server.pair.PeerTitles;
import dev.ash.server.project.HostFolders;
import dev.ash.server.project.Projects;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.repository.Repositories;
import dev.ash.server.repository.TerminalFolders;
import dev.ash.server.runner.LocalRunnerBackend;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.runner.SandboxRowStore;
import dev.ash.server.runner.ServerPaths;
import dev.ash.server.secret.RotatableCertificates;
import dev.ash.server.secret.SealingKey;
import dev.ash.server.secret.SecretRoutes;
import dev.ash.server.session.SessionDoor;
import dev.ash.server.session.SessionRoutes;
import dev.ash.server.session.egress.ModelAccounts;
import dev.ash.server.session.egress.SessionEgress;
import dev.ash.server.session.egress.SessionProviderTools;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.session.file.SessionFileRoutes;
import dev.ash.server.session.file.SessionFiles;
import dev.ash.server.session.file.SessionLogs;
import dev.ash.server.session.lifecycle.LiveSessions;
import dev.ash.server.session.lifecycle.Prewarming;
import dev.ash.server.session.lifecycle.Purges;
import dev.ash.server.session.lifecycle.Registrar;
import dev.ash.server.session.lifecycle.SessionForks;
import dev.ash.server.session.lifecycle.SessionLauncher;
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
import dev.ash.server.store.Database;
import dev.ash.server.store.FreePages;
import dev.ash.server.store.Housekeeping;
import dev.ash.server.store.Housekeeping.Task;
import dev.ash.server.store.Sealer;
import dev.ash.server.tenant.ApiKeyRoutes;
import dev.ash.server.tenant.ApiKeys;
import dev.ash.server.tls.Certificates;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The whole server, assembled by hand. Read downwards to see what depends on what. */
public final class ServerMain {
    private static final System.Logger LOG = System.getLogger("ash.server");

    public static void main(String[] args) {
        CarrierThreads.configure();
        ServerLog.configure();
        var stop = new CountDownLatch(1);
        var stopped = new CountDownLatch(1);
        // SIGTERM runs the hook; the process lives until it returns, so it waits for the closing.
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .unstarted(
                                        () -> {
                                            stop.countDown();
                                            await(stopped);
                                        }));
        int status = 0;
        try {
            run(ServerConfig.from(System.getenv()), stop);
        } catch (ApiException e) {
            status = fail(e.sentence(), e);
        } catch (IOException e) {
            status = fail("Cannot use the data directory: " + DataDir.reason(e), e);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "start failed", e);
            status = fail("The server could not start; the lines above say why", e);
        } finally {
            stopped.countDown();
        }
        if (status != 0) {
            System.exit(status);
        }
    }

    private static int fail(String sentence, Exception e) {
        LOG.log(System.Logger.Level.DEBUG, "start failed", e);
        System.err.println("ash: " + sentence);
        return 1;
    }

    private static void run(ServerConfig config, CountDownLatch stop) throws IOException {
        var clock = Clock.systemUTC();
        var random = new SecureRandom();
        var version = Version.current();
        try (var data = DataDir.open(config.dataDir());
                var database = Database.open(data.resolve("ash.db"))) {
            Spool.useFolder(data.resolve("uploads"));
            var sealer = Sealer.open(data.resolve("sealing-key"), random);
            var keys =
                    ApiKeys.open(
                            database,
                            data.resolve("initial-api-key"),
                            config.apiKey(),
                            random,
                            clock);
            var hostFolders = HostFolders.of(config.environment(), data.path());
            var projects = Projects.of(config.projectRoots(), config.environment(), hostFolders);
            var quotas = new QuotaStore(database, config.quotas());
            var agentFolders = new AgentFolders(data.resolve("agents"));
            var credentials = new Credentials(database, sealer, clock);
            var programs = EnginePrograms.find(config);
            var engines = new Engines(config.engine(), programs.found(config.environment()));
            var certificates =
                    new Certificates(
                            data.path(),
                            certificatePasswords(sealer),
                            config.tls().files(),
                            config.gateway().files(),
                            Duration.ofMinutes(1));
            var placeholders = new Placeholders(() -> sealer.deriveAll("placeholders"));
            var accounts = new ModelAccounts(config.environment(), credentials);
            var local =
                    LocalRunnerBackend.open(
                            sandboxes(config, programs, placeholders),
                            new ServerPaths(agentFolders, projects),
                            config.quotas()::sandboxesOf,
                            new SandboxRowStore(database, clock));
            try (var proxies =
                            new EgressProxies(
                                    placeholders, EgressLimits.DEFAULT, config.walls().allow());
                    var runners = new RunnerCoordinator(local);
                    var sealingKey =
                            new SealingKey(
                                    sealer,
                                    database,
                                    random,
                                    clock,
                                    id -> runners.find(id).isPresent())) {
                var prewarming =
                        new Prewarming(runners, engines, config.walls(), config.preWarmCount());
                var agents =
                        new Agents(
                                new AgentStore(database, sealer, quotas),
                                agentFolders,
                                new AgentRoots(config.agentRoots(), hostFolders),
                                prewarming,
                                clock);
                var eventStore = new EventStore(database, config.quotas().log());
                var events = new SessionEvents(database, eventStore, clock);
                var approvalStore = new ApprovalStore(database);
                var approvals = new Approvals(approvalStore, events, clock, config.approvalTtl());
                var sessionStore = new SessionStore(database, sealer);
                var turnStore = new TurnStore(database, clock);
                var ledger = new SessionBudgets(database, clock);
                var peerEndpoints = new PeerEndpoints();
                var core =
                        new SessionCore(
                                events,
                                sessionStore,
                                new SessionStatusStore(database, clock),
                                turnStore,
                                runners,
                                approvals,
                                new SessionEgress(
                                        proxies,
                                        accounts,
                                        runners,
                                        ledger,
                                        events,
                                        turnStore,
                                        peerEndpoints::of,
                                        new SessionProviderTools(agents, config.walls()),
                                        config.strictModelRequests()),
                                projects,
                                quotas);
                var idempotency = new IdempotencyKeyStore(database);
                var launcher = new SessionLauncher(core, agents);
                var live = new LiveSessions(core, launcher);
                var sleeper = new SessionSleeper(core, live, config.idleTimeout());
                var sessions =
                        new Sessions(
                                core,
                                live,
                                new Registrar(
                                        core, agents, engines, config.walls(), idempotency, clock));
                var turns = new Turns(core, live, idempotency);
                var forks =
                        new SessionForks(
                                sessions, live, sleeper, core, new LogCopyStore(database), clock);
                var hooks = new Hooks(database, events, approvals, clock, config.hookTimes());
                var pairQuestions = new PairQuestions(approvals);
                approvals.answerThrough(live);
                approvals.answerThrough(AskerKind.HOOKS, hooks);
                approvals.answerThrough(AskerKind.PAIR, pairQuestions);
                var peerTitles = new PeerTitles();
                runners.onEvict(sleeper::evict);

                var recovery = new SessionRecovery(core, live, launcher);
                ledger.recover();
                recovery.run();
                hooks.recover();
                agents.recover();

                var views = new EventViews(eventStore);
                var logs = new SessionLogs(runners::logs, clock);
                var purges =
                        new Purges(
                                database, sessions, live, core, clock, config.quotas().retention());
                var freePages = new FreePages(database, FreePages.KEPT);
                var logSizes = new LogSizeStore(database, eventStore);
                var housekeeping =
                        new Housekeeping(
                                Housekeeping.INTERVAL,
                                new Task("the removal of sessions", purges.work()),
                                new Task(
                                        "the removal of idempotency keys",
                                        () -> idempotency.forgetOld(clock.millis())),
                                new Task("the removal of read output", logs::prune),
                                new Task("the storing of last uses", keys::storeLastUses),
                                new Task("the end of silent terminals", hooks::endSilent),
                                new Task("the return of free pages", freePages::giveBack),
                                new Task("the calculation of log sizes", logSizes::fill));
                var timings =
                        config.debugTiming() ? TurnRoutes.Timings.PRINTED : TurnRoutes.Timings.OFF;
                var endpoints = new ArrayList<Endpoint>();
                endpoints.addAll(new AgentRoutes(agents, sessions::endAllOf).endpoints());
                endpoints.addAll(new AgentFileRoutes(agents).endpoints());
                endpoints.addAll(
                        new SessionRoutes(
                                        sessions,
                                        forks,
                                        core.sessions(),
                                        views,
                                        new EventPolls(views, events),
                                        logs,
                                        purges,
                                        housekeeping::wake)
                                .endpoints());
                endpoints.addAll(
                        new TurnRoutes(turns, sessions, events, version, timings).endpoints());
                endpoints.addAll(
                        new SessionFileRoutes(SessionFiles.of(sessions, core)).endpoints());
                endpoints.addAll(new ApprovalRoutes(approvals, approvalStore).endpoints());
                endpoints.addAll(new CredentialRoutes(credentials).endpoints());
                endpoints.addAll(new ApiKeyRoutes(keys).endpoints());
                var hookToken =
                        HookToken.open(
                                data.resolve("hook-token"), config.hookToken(), random, clock);
                var hookRoutes = new HookRoutes(hooks, hookToken, views);
                endpoints.addAll(hookRoutes.endpoints());
                sealingKey.onKeyChange(
                        () -> certificates.changePassword(certificatePasswords(sealer).getFirst()));
                endpoints.addAll(
                        new SecretRoutes(
                                        List.of(
                                                sealingKey,
                                                hookToken,
                                                new RotatableCertificates(certificates)))
                                .endpoints());
                var devices = new Devices(database, random, clock);
                var authenticator = new Authenticator(keys, devices);
                var cursors = new DeviceCursors(new CursorStore(database));
                var folders =
                        new TerminalFolders(
                                hooks,
                                projects,
                                local.commands(),
                                SessionFiles.of(sessions, core),
                                turns::exec);
                var door =
                        new SessionDoor(sessions, turns, core.sessions(), agents, engines, runners);
                var runFolders = RunFolders.of(config.environment(), home(config.environment()));
                var pairs =
                        PairRoutes.pairs(
                                runFolders,
                                door,
                                peerEndpoints,
                                pairQuestions,
                                peerTitles,
                                SessionFiles.of(sessions, core),
                                local.commands(),
                                projects,
                                data.resolve("bundles"),
                                clock);
                endpoints.addAll(new PairRoutes(pairs).endpoints());
                var mailboxes =
                        new Mailboxes(
                                runFolders,
                                purpose ->
                                        sealer.deriveAccepted(purpose, clock.millis()).stream()
                                                .map(Mailboxes::encoded)
                                                .toList());
                endpoints.addAll(
                        new MailboxRoutes(mailboxes, projects, config.tls().scheme()).endpoints());
                var gateway =
                        new Gateway(
                                config.gateway(),
                                new Gateway.Parts(
                                        authenticator,
                                        devices,
                                        cursors,
                                        new NotificationStore(database, clock),
                                        door,
                                        peerTitles::of,
                                        hooks,
                                        events,
                                        views,
                                        approvals,
                                        new Repositories(folders, folders),
                                        version,
                                        clock));
                endpoints.addAll(gateway.endpoints(GatewayAddress.in(config)));
                var health =
                        new HealthRoutes(
                                runners,
                                live,
                                core.sessions(),
                                engines,
                                gateway::health,
                                clock,
                                version);
                endpoints.addAll(health.endpoints());
                endpoints.addAll(
                        new MetricsRoutes(
                                        health::health,
                                        events,
                                        database.writer(),
                                        proxies.requestCounts())
                                .endpoints());
                Runnable begun =
                        () -> {
                            recovery.goOn();
                            sealingKey.start();
                            approvals.start();
                            pairs.recover();
                            prewarming.start(agents.all());
                            housekeeping.start();
                            gateway.start(certificates, List.of(hookRoutes.door()));
                        };
                try (keys;
                        authenticator;
                        sleeper;
                        housekeeping;
                        certificates;
                        approvals;
                        cursors;
                        mailboxes;
                        gateway) {
                    sleeper.start();
                    Runnable ending =
                            () -> {
                                hooks.close();
                                pairs.close();
                                sleeper.shutDown();
                            };
                    serve(
                            config,
                            data,
                            authenticator,
                            endpoints,
                            gateway.sockets(),
                            certificates,
                            begun,
                            ending,
                            stop);
                }
            }
        }
    }

    /** The current one first. */
    private static List<String> certificatePasswords(Sealer sealer) {
        return sealer.deriveAll("gateway certificate").stream()
                .map(HexFormat.of()::formatHex)
                .toList();
    }

    private static Path home(Map<String, String> environment) {
        return Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")));
    }

    private static SandboxConfig sandboxes(
            ServerConfig config, EnginePrograms programs, Placeholders placeholders) {
        return new SandboxConfig(
                config.dataDir(),
                Dist.jars("bridge"),
                config.bridgeCommand(),
                config.environment(),
                Map.of("ASH_BRIDGE_GRACE_MS", Long.toString(config.bridgeGrace().toMillis())),
                programs.paths(),
                config.maxSandboxes(),
                config.requireIsolation(),
                Limits.READY_TIMEOUT,
                placeholders::of,
                config.disk());
    }

    private static void serve(
            ServerConfig config,
            DataDir data,
            Authenticator authenticator,
            List<Endpoint> endpoints,
            Sockets sockets,
            Certificates certificates,
            Runnable begun,
            Runnable ending,
            CountDownLatch stop)
            throws IOException {
        var certificate = config.tls().certificate(certificates);
        try (var server =
                new HttpServer(config.http(), authenticator, endpoints, sockets, certificate)) {
            int port = server.start();
            long now = System.currentTimeMillis();
            try (var _ =
                    new RestAddress(config, data.resolve("server.pid"), port, now)
                            .publish(certificate)) {
                config.tls().warn(LOG, config.apiKey());
                LOG.log(
                        System.Logger.Level.INFO,
                        "Ash {0} listens on {1}://{2}:{3}",
                        Version.current(),
                        certificate.isPresent() ? "https" : "http",
                        config.host(),
                        Integer.toString(port));
                begun.run();
                await(stop);
                LOG.log(System.Logger.Level.INFO, "Stopping: ending all sandboxes");
                ending.run(); // before the door closes: turns end, and with them their streams
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ServerMain() {}
}
