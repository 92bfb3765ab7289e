package dev.ash.server.session.recovery;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.server.agent.AgentDirectories;
import dev.ash.server.agent.AgentRoots;
import dev.ash.server.agent.AgentStore;
import dev.ash.server.agent.Agents;
import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.approval.ApprovalStore;
import dev.ash.server.approval.Approvals;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.LogCopyStore;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.project.Projects;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.quota.Quotas;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.runner.SandboxRowStore;
import dev.ash.server.session.engine.EngineStart;
import dev.ash.server.session.engine.Engines;
import dev.ash.server.session.lifecycle.LiveSessions;
import dev.ash.server.session.lifecycle.SessionForks;
import dev.ash.server.session.lifecycle.SessionPurger;
import dev.ash.server.session.lifecycle.SessionRegistrar;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.live.Egress;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.store.IdempotencyKeyStore;
import dev.ash.server.session.store.SessionStatusStore;
import dev.ash.server.session.store.SessionStore;
import dev.ash.server.session.store.TurnStore;
import dev.ash.server.session.turn.Turns;
import dev.ash.server.store.Database;
import dev.ash.server.store.Sealer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** The session core of a server, assembled as in production, with a fake runner. */
final class CrashServer {
    static final TenantId TENANT = TenantId.DEFAULT;
    static final String AGENT = "model";
    private static final String AGENT_ID = "00000000-0000-0000-0000-000000000001";
    private static final IsolationRules ISOLATION_RULES =
            new IsolationRules(
                    ResourceLimits.DEFAULT, ResourceLimits.DEFAULT, List.of(), false, List.of());
    private static final Clock CLOCK = Clock.systemUTC();

    final ServerLifetime lifetime;
    final Database database;
    final SessionCore core;
    final LiveSessions live;
    final Sessions sessions;
    final Turns turns;
    final SessionForks forks;
    final Approvals approvals;
    final ApprovalAnswers answers;
    final SessionPurger purger;
    private final RunnerCoordinator runners;
    private final SessionRecovery recovery;

    /** The initial database of all servers, with one agent, and its sealing key. */
    record Template(Path directory, Sealer sealer) {
        static Template create(Path directory) {
            try {
                var sealer = Sealer.open(directory.resolve("key"), new SecureRandom());
                Files.createDirectories(directory.resolve("agents/" + AGENT_ID + "/1"));
                var template = new Template(directory, sealer);
                try (var database = Database.open(directory.resolve("ash.db"))) {
                    database.writer().write(template::insertAgent);
                }
                return template;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private int insertAgent(dev.ash.server.store.Transaction transaction) {
            return transaction
                    .handle()
                    .createUpdate(
                            "INSERT INTO agents (id, tenant_id, name, version, path, env, config,"
                                    + " created_at, updated_at) VALUES (:id, :tenant, :name, 1, '/',"
                                    + " :env, '{}', 0, 0)")
                    .bind("id", AGENT_ID)
                    .bind("tenant", TENANT.value())
                    .bind("name", AGENT)
                    .bind(
                            "env",
                            sealer.seal(
                                    "{\"env\":{}}"
                                            .getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                    .execute();
        }
    }

    CrashServer(Template template, Path file, FakeHost host, ServerLifetime lifetime) {
        this.lifetime = lifetime;
        this.database =
                lifetime.call(() -> Database.open(file)); // its writer belongs to this lifetime
        this.runners =
                new RunnerCoordinator(
                        new FakeRunner(host, lifetime, new SandboxRowStore(database, CLOCK)));
        var quotas = new QuotaStore(database, Quotas.NONE);
        var agents =
                new Agents(
                        new AgentStore(database, template.sealer(), quotas),
                        agentDirectories(template),
                        AgentRoots.NONE,
                        Agents.Listener.NONE,
                        CLOCK);
        var events = new SessionEvents(database, new EventStore(database), CLOCK);
        this.approvals =
                new Approvals(new ApprovalStore(database), events, CLOCK, Optional.empty());
        this.core =
                new SessionCore(
                        events,
                        new SessionStore(database, template.sealer()),
                        new SessionStatusStore(database, CLOCK),
                        new TurnStore(database, CLOCK),
                        runners,
                        approvals,
                        Egress.NONE,
                        Projects.NONE,
                        quotas);
        var keys = new IdempotencyKeyStore(database);
        this.live = new LiveSessions(core, agents, EngineStart.WITH_PROMPT);
        this.sessions =
                new Sessions(
                        core,
                        live,
                        new SessionRegistrar(
                                core,
                                agents,
                                new Engines(
                                        EngineTable.builtIn(), "demo", Map.of(), Set.of()),
                                ISOLATION_RULES,
                                keys,
                                CLOCK));
        this.turns = new Turns(core, live, keys);
        this.forks = new SessionForks(sessions, live, core, new LogCopyStore(database), CLOCK);
        this.purger = new SessionPurger(database, sessions, live, core, CLOCK, Optional.empty());
        this.answers = new ApprovalAnswers(approvals, live, Map.of());
        this.recovery = new SessionRecovery(core, live);
    }

    private static AgentDirectories agentDirectories(Template template) {
        try {
            return new AgentDirectories(template.directory().resolve("agents"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether the server survived its recovery. */
    boolean recover() {
        return survives(recovery::run);
    }

    /** Starts the background work of a server that accepts requests. */
    boolean startBackgroundWork() {
        return survives(
                () -> {
                    recovery.resumeQueues();
                    answers.start();
                });
    }

    private boolean survives(Runnable action) {
        try {
            call(
                    () -> {
                        action.run();
                        return true;
                    });
            return !lifetime.isKilled();
        } catch (ServerLifetime.Killed e) {
            return false;
        }
    }

    /**
     * Calls the server. Throws {@link ServerLifetime.Killed} if it is killed first, even if its
     * threads then block forever, for example on a commit.
     */
    <T> T call(Supplier<T> action) {
        var answer = new CompletableFuture<T>();
        var thread =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        answer.complete(lifetime.call(action));
                                    } catch (RuntimeException | Error e) {
                                        answer.completeExceptionally(e);
                                    }
                                });
        try {
            CompletableFuture.anyOf(answer, lifetime.killed()).get();
            if (answer.isDone()) {
                return answer.get();
            }
        } catch (ExecutionException e) {
            if (!lifetime.isKilled()) {
                throw e.getCause() instanceof ApiException rejected
                        ? rejected
                        : new IllegalStateException(e.getCause());
            }
        } catch (InterruptedException e) {
            // The run is over.
        } finally {
            thread.interrupt();
        }
        throw new ServerLifetime.Killed();
    }

    /** Releases the resources of a killed server, without writing to the disk. */
    void release() {
        answers.close();
        runners.close();
        database.close();
    }
}
