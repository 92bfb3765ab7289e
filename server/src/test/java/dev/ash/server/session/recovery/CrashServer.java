package dev.ash.server.session.recovery;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.TenantId;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/** The session core of one life of a server, assembled as the server assembles it. */
final class CrashServer {
    static final TenantId TENANT = TenantId.DEFAULT;
    static final String AGENT = "model";
    private static final String AGENT_ID = "00000000-0000-0000-0000-000000000001";
    private static final IsolationRules WALLS =
            new IsolationRules(
                    ResourceLimits.DEFAULT, ResourceLimits.DEFAULT, List.of(), false, List.of());
    private static final Clock CLOCK = Clock.systemUTC();

    final CrashLife life;
    final Database database;
    final SessionCore core;
    final LiveSessions live;
    final Sessions sessions;
    final Turns turns;
    final SessionForks forks;
    final Approvals approvals;
    final ApprovalAnswers answers;
    final SessionPurger purges;
    private final RunnerCoordinator runners;
    private final SessionRecovery recovery;

    /** What all servers share: a database with one agent in it, and the key to it. */
    record Template(Path folder, Sealer sealer) {
        static Template in(Path folder) {
            try {
                var sealer = Sealer.open(folder.resolve("key"), new SecureRandom());
                Files.createDirectories(folder.resolve("agents/" + AGENT_ID + "/1"));
                var template = new Template(folder, sealer);
                try (var database = Database.open(folder.resolve("ash.db"))) {
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

    CrashServer(Template template, Path file, ModelHost host, CrashLife life) {
        this.life = life;
        this.database = life.as(() -> Database.open(file)); // its thread is one of this life
        this.runners =
                new RunnerCoordinator(
                        new ModelRunner(host, life, new SandboxRowStore(database, CLOCK)));
        var quotas = new QuotaStore(database, Quotas.NONE);
        var agents =
                new Agents(
                        new AgentStore(database, template.sealer(), quotas),
                        folders(template),
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
        this.live = new LiveSessions(core, agents);
        this.sessions =
                new Sessions(
                        core,
                        live,
                        new SessionRegistrar(
                                core, agents, new Engines("demo", Map.of()), WALLS, keys, CLOCK));
        this.turns = new Turns(core, live, keys);
        this.forks = new SessionForks(sessions, live, core, new LogCopyStore(database), CLOCK);
        this.purges = new SessionPurger(database, sessions, live, core, CLOCK, Optional.empty());
        this.answers = new ApprovalAnswers(approvals, live, Map.of());
        this.recovery = new SessionRecovery(core, live);
    }

    private static AgentDirectories folders(Template template) {
        try {
            return new AgentDirectories(template.folder().resolve("agents"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether it lived through it. */
    boolean recover() {
        return living(recovery::run);
    }

    /** What begins once the server can be seen to be up. */
    boolean goOn() {
        return living(
                () -> {
                    recovery.resumeQueues();
                    answers.start();
                });
    }

    private boolean living(Runnable action) {
        try {
            call(
                    () -> {
                        action.run();
                        return true;
                    });
            return !life.isDead();
        } catch (CrashLife.Killed e) {
            return false;
        }
    }

    /**
     * What the server answers. When it dies first this throws, though the threads that work on the
     * answer may wait for ever, as for a commit that does not come.
     */
    <T> T call(Supplier<T> action) {
        var answer = new CompletableFuture<T>();
        var thread =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        answer.complete(life.as(action));
                                    } catch (RuntimeException | Error e) {
                                        answer.completeExceptionally(e);
                                    }
                                });
        try {
            CompletableFuture.anyOf(answer, life.death()).get();
            if (answer.isDone()) {
                return answer.get();
            }
        } catch (ExecutionException e) {
            if (!life.isDead()) {
                throw e.getCause() instanceof ApiException refused
                        ? refused
                        : new IllegalStateException(e.getCause());
            }
        } catch (InterruptedException e) {
            // The run is over.
        } finally {
            thread.interrupt();
        }
        throw new CrashLife.Killed();
    }

    /** Frees what a dead server holds in this JVM; nothing of it reaches the disk. */
    void bury() {
        answers.close();
        runners.close();
        database.close();
    }
}
