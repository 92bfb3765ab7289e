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

/** One run: clients at work, a server that is killed at its point, others after it, a check. */
final class CrashRun {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CrashPlan plan;
    private final long seed;
    private final CrashServer.Template template;
    private final Path folder;
    private final ModelHost host;
    private final CrashHistory history = new CrashHistory();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<CrashServer> dead = new ArrayList<>();
    private final long deadline = System.nanoTime() + PATIENCE.toNanos();
    private volatile CompletableFuture<CrashServer> present = new CompletableFuture<>();
    private volatile boolean over;
    private int files;
    private int crashes;
    private long bridgesLost;
    private final List<CrashClient> doing = new CopyOnWriteArrayList<>();
    private volatile String refused = "";

    CrashRun(String point, long seed, CrashServer.Template template, Path folder) {
        this.plan = new CrashPlan(point, seed);
        this.seed = seed;
        this.template = template;
        this.folder = folder;
        this.host = new ModelHost(folder);
    }

    /** What was found wrong, and whether the point was come to. */
    record Result(List<String> wrong, boolean crashed) {}

    CrashHistory history() {
        return history;
    }

    ModelHost host() {
        return host;
    }

    Result run() {
        CrashServer last = null;
        try {
            last = begin(copy(template.folder().resolve("ash.db")));
            last = surviving(last, clients());
            last = settle(last);
            new CrashCheck(this, last).run();
            if (plan.killedTwice) {
                last = killTwice(last);
            }
        } catch (StuckException e) {
            history.wrong(e.getMessage());
        } catch (RuntimeException | Error e) {
            history.wrong("the run failed: " + trace(e));
        } finally {
            over = true;
            threads.forEach(Thread::interrupt);
            if (last != null) {
                dump(last);
                last.life.die();
                dead.add(last);
            }
            bridgesLost =
                    host.all().stream()
                            .filter(bridge -> bridge.end() == ModelBridge.End.BY_FATE)
                            .count();
            host.reboot();
            dead.forEach(CrashServer::bury);
        }
        var wrong = new ArrayList<>(history.wrong());
        wrong.addAll(host.effects().wrong());
        return new Result(wrong, cameToIt());
    }

    /** Whether a server died at the point, or a bridge for that matter. */
    private boolean cameToIt() {
        return plan.point.equals(CrashPlan.BRIDGE)
                ? bridgesLost > 0
                : dead.stream().anyMatch(server -> server.life.diedAt(plan.point));
    }

    private void dump(CrashServer server) {
        if (Boolean.getBoolean("ash.crash.dump")
                && !(history.wrong().isEmpty() && host.effects().wrong().isEmpty())) {
            history.wrong(
                    "at the end:\n"
                            + new CrashTable(server.database).dump()
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

    /** The run did not come to its end in time. */
    static final class StuckException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        StuckException(String what) {
            super(what);
        }
    }

    private CompletableFuture<Void> clients() {
        var working = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < plan.clients.size(); i++) {
            var client =
                    new CrashClient(
                            this,
                            plan.clients.get(i),
                            String.valueOf((char) ('a' + i)),
                            seed * 7 + i);
            doing.add(client);
            var done = new CompletableFuture<Void>();
            working.add(done);
            start(
                    () -> {
                        try {
                            client.work();
                            done.complete(null);
                        } catch (RuntimeException | Error e) {
                            done.completeExceptionally(e);
                        }
                    });
        }
        return CompletableFuture.allOf(working.toArray(CompletableFuture[]::new));
    }

    /** Replaces each server that dies, until the clients have done all. */
    private CrashServer surviving(CrashServer first, CompletableFuture<Void> clients) {
        var server = first;
        while (true) {
            try {
                CompletableFuture.anyOf(clients, server.life.death())
                        .get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                throw stuck(server, "clients");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof CrashLife.Killed) {
                    throw stuck(server, "clients");
                }
                throw new IllegalStateException("a client failed", e.getCause());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            if (!server.life.isDead()) {
                return server;
            }
            server = successor(server);
        }
    }

    /** Starts servers on what a dead one left, until one lives through its recovery. */
    private CrashServer successor(CrashServer dying) {
        var server = dying;
        while (true) {
            crashes++;
            if (present.isDone()) {
                present = new CompletableFuture<>();
            }
            host.hangUp();
            dead.add(server);
            var file = copy(folder.resolve("db" + files));
            if (plan.reboots) {
                host.reboot();
                new CrashRepeat(template, folder, plan.random)
                        .differences(file)
                        .forEach(history::wrong);
            }
            server = begin(file);
            if (!server.life.isDead()) {
                return server;
            }
        }
    }

    private CrashServer begin(Path file) {
        var doom = plan.nextDoom();
        if (crashes == 1 && plan.isOfRecovery()) {
            doom = new CrashLife.Doom(KillPoint.valueOf(plan.point), 1);
        }
        return begin(file, doom);
    }

    private CrashServer begin(Path file, CrashLife.Doom doom) {
        var life = new CrashLife(doom, seed + crashes);
        var server = new CrashServer(template, file, host, life);
        if (server.recover()) {
            present.complete(server);
            server.goOn();
        }
        return server;
    }

    /** As the disk is when a machine loses power: nothing was closed. */
    private Path copy(Path database) {
        try {
            var file = folder.resolve("db" + ++files);
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

    /** The server that is up, waiting for one. */
    CrashServer server() {
        try {
            while (!over && System.nanoTime() < deadline) {
                var server = present.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (!server.life.isDead()) {
                    return server;
                }
                Thread.sleep(Duration.ofNanos(200_000)); // its successor is on its way
            }
        } catch (InterruptedException | TimeoutException e) {
            // The run is over, or it is stuck.
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        throw new CrashLife.Killed();
    }

    void start(Runnable work) {
        threads.add(
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        work.run();
                                    } catch (RuntimeException e) {
                                        if (!over) {
                                            history.wrong("a client failed: " + trace(e));
                                        }
                                    }
                                }));
    }

    /** Calls the server once; empty if it refused or died. */
    <T> Optional<T> once(Function<CrashServer, T> call) {
        var server = server();
        try {
            return Optional.ofNullable(server.call(() -> call.apply(server)));
        } catch (ApiException | CrashLife.Killed e) {
            return Optional.empty();
        }
    }

    /** Calls the server, or its successors, until it neither dies nor refuses. */
    <T> T until(Function<CrashServer, T> call) {
        while (System.nanoTime() < deadline && !over) {
            var server = server();
            try {
                return server.call(() -> call.apply(server));
            } catch (CrashLife.Killed e) {
                // Its successor is asked.
            } catch (ApiException e) {
                refused = e.toString();
                if (e.code() == ErrorCode.INTERNAL) {
                    history.wrong("a client got " + trace(e));
                }
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new CrashLife.Killed();
    }

    void killBridgeOf(SessionId session, int afterEvents) {
        once(server -> server.core.sessions().find(session).orElseThrow().sandbox())
                .flatMap(host::running)
                .ifPresent(bridge -> bridge.doom(afterEvents + 1));
    }

    /** Resumes a session that waits for it. */
    void nudge(SessionId session) {
        once(server -> nudged(server, session));
    }

    private static SessionRow nudged(CrashServer server, SessionId session) {
        var row = server.core.sessions().find(session).orElseThrow();
        return switch (row.status()) {
            case ERROR, PAUSED, STOPPED -> server.sessions.resume(CrashServer.TENANT, session);
            default -> row;
        };
    }

    /** Waits until every turn is over, and every subscription has seen it. */
    private CrashServer settle(CrashServer first) {
        var last = first;
        while (true) {
            if (last.life.isDead()) {
                last = successor(last);
            }
            var server = last;
            var table = new CrashTable(server.database);
            try {
                if (table.isQuiet()
                        && host.running().stream().allMatch(table::hasAllOf)
                        && table.isSeen(history)) {
                    return server;
                }
                table.pending().forEach(id -> start(() -> CrashClient.decide(this, id, 3)));
                for (var session : table.withOpenTurns()) {
                    server.call(() -> nudged(server, session));
                }
            } catch (ApiException | CrashLife.Killed e) {
                // The next round tries again, finds it dead, or the time over.
            } catch (RuntimeException e) {
                if (!server.life.isDead()) {
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
                new CrashTable(server.database)
                        .rows("SELECT id, status FROM turns WHERE status NOT IN ('done', 'error')");
        return new StuckException(
                what + " did not come to an end: " + open + doing + " last refused: " + refused);
    }

    /** Kills the idle server twice: what one recovery makes of it, so does the next. */
    private CrashServer killTwice(CrashServer server) {
        server.life.die();
        var second = successor(server);
        second.life.die();
        var before = new CrashTable(second.database).state();
        var third = successor(second);
        var after = new CrashTable(third.database).state();
        if (!before.equals(after)) {
            history.wrong("recovery again changed\n" + before + "\nto\n" + after);
        }
        return third;
    }
}
