package dev.ash.server.session.recovery;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** One run: clients work while servers are killed and replaced; then the state is checked. */
final class CrashRun {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final CrashPlan plan;
    private final long seed;
    private final CrashServer.Template template;
    private final Path directory;
    private final FakeHost host;
    private final CrashHistory history = new CrashHistory();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<CrashServer> killedServers = new ArrayList<>();
    private final long deadline = System.nanoTime() + TIMEOUT.toNanos();
    private volatile CompletableFuture<CrashServer> current = new CompletableFuture<>();
    private volatile boolean finished;
    private int files;
    private int crashes;
    private long crashedBridges;
    private final List<CrashClient> clients = new CopyOnWriteArrayList<>();
    private volatile String lastError = "";

    CrashRun(String point, long seed, CrashServer.Template template, Path directory) {
        this.plan = new CrashPlan(point, seed);
        this.seed = seed;
        this.template = template;
        this.directory = directory;
        this.host = new FakeHost(directory);
    }

    /** The violations, and whether a server was killed at the planned point. */
    record Result(List<String> violations, boolean reachedPoint) {}

    CrashHistory history() {
        return history;
    }

    FakeHost host() {
        return host;
    }

    Result run() {
        CrashServer last = null;
        try {
            last = startServer(copy(template.directory().resolve("ash.db")));
            last = runUntilClientsFinish(last, startClients());
            last = awaitIdle(last);
            new CrashCheck(this, last).run();
            if (plan.killedTwice) {
                last = killIdleServerTwice(last);
            }
        } catch (StuckException e) {
            history.addViolation(e.getMessage());
        } catch (RuntimeException | Error e) {
            history.addViolation("the run failed: " + trace(e));
        } finally {
            finished = true;
            threads.forEach(Thread::interrupt);
            if (last != null) {
                dump(last);
                last.lifetime.kill();
                killedServers.add(last);
            }
            crashedBridges =
                    host.all().stream()
                            .filter(bridge -> bridge.end() == FakeBridge.End.CRASHED)
                            .count();
            host.reboot();
            killedServers.forEach(CrashServer::release);
        }
        var violations = new ArrayList<>(history.violations());
        violations.addAll(host.effects().violations());
        return new Result(violations, reachedPoint());
    }

    /** Whether a server was killed at the planned point, or a bridge if planned. */
    private boolean reachedPoint() {
        return plan.point.equals(CrashPlan.BRIDGE_KILLED)
                ? crashedBridges > 0
                : killedServers.stream()
                        .anyMatch(server -> server.lifetime.wasKilledAt(plan.point));
    }

    private void dump(CrashServer server) {
        if (Boolean.getBoolean("ash.crash.dump")
                && !(history.violations().isEmpty() && host.effects().violations().isEmpty())) {
            history.addViolation(
                    "at the end:\n"
                            + new StoredState(server.database).dump()
                            + "\n"
                            + host.all()
                            + host.effects().prompts());
        }
    }

    static String trace(Throwable e) {
        var out = new java.io.StringWriter();
        e.printStackTrace(new java.io.PrintWriter(out));
        return out.toString();
    }

    /** The run did not finish in time. */
    static final class StuckException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StuckException(String what) {
            super(what);
        }
    }

    private CompletableFuture<Void> startClients() {
        var working = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < plan.clients.size(); i++) {
            var client =
                    new CrashClient(
                            this,
                            plan.clients.get(i),
                            String.valueOf((char) ('a' + i)),
                            seed * 7 + i);
            clients.add(client);
            var done = new CompletableFuture<Void>();
            working.add(done);
            start(
                    () -> {
                        try {
                            client.run();
                            done.complete(null);
                        } catch (RuntimeException | Error e) {
                            done.completeExceptionally(e);
                        }
                    });
        }
        return CompletableFuture.allOf(working.toArray(CompletableFuture[]::new));
    }

    /** Replaces each killed server until the clients have finished. */
    private CrashServer runUntilClientsFinish(CrashServer first, CompletableFuture<Void> clients) {
        var server = first;
        while (true) {
            try {
                CompletableFuture.anyOf(clients, server.lifetime.killed())
                        .get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                throw stuck(server, "clients");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof ServerLifetime.Killed) {
                    throw stuck(server, "clients");
                }
                throw new IllegalStateException("a client failed", e.getCause());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (!server.lifetime.isKilled()) {
                return server;
            }
            server = startSuccessor(server);
        }
    }

    /** Starts servers on the database of a killed one until one survives its recovery. */
    private CrashServer startSuccessor(CrashServer dying) {
        var server = dying;
        while (true) {
            crashes++;
            if (current.isDone()) {
                current = new CompletableFuture<>();
            }
            host.disconnectServers();
            killedServers.add(server);
            var file = copy(directory.resolve("db" + files));
            if (plan.hostReboots) {
                host.reboot();
                new RepeatedRecovery(template, directory, plan.random)
                        .differences(file)
                        .forEach(history::addViolation);
            }
            server = startServer(file);
            if (!server.lifetime.isKilled()) {
                return server;
            }
        }
    }

    private CrashServer startServer(Path file) {
        var trigger = plan.nextKill();
        if (crashes == 1 && plan.targetsRecovery()) {
            trigger = new ServerLifetime.KillTrigger(KillPoint.valueOf(plan.point), 1);
        }
        return startServer(file, trigger);
    }

    private CrashServer startServer(Path file, ServerLifetime.KillTrigger trigger) {
        var lifetime = new ServerLifetime(trigger, seed + crashes);
        var server = new CrashServer(template, file, host, lifetime);
        if (server.recover()) {
            current.complete(server);
            server.startBackgroundWork();
        }
        return server;
    }

    /** Copies the database as it is after a power failure: nothing was closed. */
    private Path copy(Path database) {
        try {
            var file = directory.resolve("db" + ++files);
            Files.copy(database, file);
            var log = Path.of(database + "-wal");
            if (Files.exists(log)) {
                Files.copy(log, Path.of(file + "-wal"));
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the running server; waits for one. */
    CrashServer server() {
        try {
            while (!finished && System.nanoTime() < deadline) {
                var server = current.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (!server.lifetime.isKilled()) {
                    return server;
                }
                Thread.sleep(Duration.ofNanos(200_000)); // until its successor runs
            }
        } catch (InterruptedException | TimeoutException e) {
            // The run has finished or is stuck.
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        throw new ServerLifetime.Killed();
    }

    void start(Runnable work) {
        threads.add(
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        work.run();
                                    } catch (RuntimeException e) {
                                        if (!finished) {
                                            history.addViolation("a client failed: " + trace(e));
                                        }
                                    }
                                }));
    }

    /** Calls the server once; returns empty if it rejected the request or was killed. */
    <T> Optional<T> tryOnce(Function<CrashServer, T> call) {
        var server = server();
        try {
            return Optional.ofNullable(server.call(() -> call.apply(server)));
        } catch (ApiException | ServerLifetime.Killed e) {
            return Optional.empty();
        }
    }

    /** Calls the server and its successors until a call succeeds. */
    <T> T retry(Function<CrashServer, T> call) {
        while (System.nanoTime() < deadline && !finished) {
            var server = server();
            try {
                return server.call(() -> call.apply(server));
            } catch (ServerLifetime.Killed e) {
                // Call its successor.
            } catch (ApiException e) {
                lastError = e.toString();
                if (e.code() == ErrorCode.INTERNAL) {
                    history.addViolation("a client got " + trace(e));
                }
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new ServerLifetime.Killed();
    }

    void killBridgeOf(SessionId session, int afterEvents) {
        tryOnce(server -> server.core.sessions().find(session).orElseThrow().sandbox())
                .flatMap(host::running)
                .ifPresent(bridge -> bridge.crashAfter(afterEvents + 1));
    }

    /** Resumes a session that is paused, stopped or failed. */
    void resumeIfInactive(SessionId session) {
        tryOnce(server -> resumeIfInactive(server, session));
    }

    private static SessionRow resumeIfInactive(CrashServer server, SessionId session) {
        var row = server.core.sessions().find(session).orElseThrow();
        return switch (row.status()) {
            case ERROR, PAUSED, STOPPED -> server.sessions.resume(CrashServer.TENANT, session);
            default -> row;
        };
    }

    /** Waits until every turn has ended and the clients have received all events. */
    private CrashServer awaitIdle(CrashServer first) {
        var last = first;
        while (true) {
            if (last.lifetime.isKilled()) {
                last = startSuccessor(last);
            }
            var server = last;
            var stored = new StoredState(server.database);
            try {
                if (stored.isIdle()
                        && host.running().stream().allMatch(stored::hasAllEventsOf)
                        && stored.wasSeenBy(history)) {
                    return server;
                }
                stored.pendingApprovals()
                        .forEach(id -> start(() -> CrashClient.decide(this, id, 3)));
                for (var session : stored.sessionsWithOpenTurns()) {
                    server.call(() -> resumeIfInactive(server, session));
                }
            } catch (ApiException | ServerLifetime.Killed e) {
                // Try again, unless it was killed or the time has expired.
            } catch (RuntimeException e) {
                if (!server.lifetime.isKilled()) {
                    throw e;
                }
            }
            if (System.nanoTime() > deadline) {
                throw stuck(server, "turns");
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    private StuckException stuck(CrashServer server, String what) {
        var open =
                new StoredState(server.database)
                        .rows("SELECT id, status FROM turns WHERE status NOT IN ('done', 'error')");
        return new StuckException(
                what + " did not finish: " + open + clients + " last error: " + lastError);
    }

    /** Kills the idle server twice: the second recovery must not change the state. */
    private CrashServer killIdleServerTwice(CrashServer server) {
        server.lifetime.kill();
        var second = startSuccessor(server);
        second.lifetime.kill();
        var before = new StoredState(second.database).state();
        var third = startSuccessor(second);
        var after = new StoredState(third.database).state();
        if (!before.equals(after)) {
            history.addViolation("a second recovery changed\n" + before + "\nto\n" + after);
        }
        return third;
    }
}
