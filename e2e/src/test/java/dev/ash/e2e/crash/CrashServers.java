package dev.ash.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.Api;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.Processes;
import dev.ash.e2e.TestDirectory;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Starts the servers of one crash run: after each death, the next one on the same data directory.
 */
final class CrashServers implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration DEATH_TIMEOUT = Duration.ofMinutes(1);
    private static final int KILLED = 137;

    private final Plan plan;
    private final TestDirectory directory;
    private final Queue<String> deaths;
    private final Map<String, String> environment;
    private final List<AshServer> servers = new ArrayList<>();
    private AshServer server; // guarded by this
    private volatile int died;
    private volatile boolean bridgesKilled;

    CrashServers(Plan plan, TestDirectory directory) {
        this.plan = plan;
        this.directory = directory;
        this.deaths = plan.deathQueue();
        this.environment =
                Map.of(
                        AshServer.MARKER_VARIABLE,
                        "/nowhere/ash-crash-" + UUID.randomUUID(),
                        "ASH_IDLE_TIMEOUT_MS",
                        plan.answersLate() ? "250" : "1000");
    }

    /** Returns the number of servers that exited or were killed. */
    int deathCount() {
        return died;
    }

    boolean bridgesKilled() {
        return bridgesKilled;
    }

    ServerDatabase database() {
        return new ServerDatabase(directory.data().resolve("ash.db"));
    }

    TestDirectory folder() {
        return directory;
    }

    /** Returns the running server; starts one if the previous one is dead. */
    synchronized AshServer server() {
        while (server == null || !server.process().isAlive()) {
            if (server != null) {
                onDeath(server.process().exitValue());
                server = null;
            }
            start(deaths.isEmpty() ? Plan.NONE : deaths.remove());
        }
        return server;
    }

    private void start(String death) {
        var all = new ArrayList<String>();
        if (!death.isEmpty()) {
            all.add("-Dash.killAt=" + death);
        }
        try {
            server = AshServer.start(environment, directory, all);
            servers.add(server);
        } catch (AshServer.NotStarted e) {
            if (e.exitCode() != KILLED) {
                throw e;
            }
            onDeath(KILLED);
        }
    }

    private void onDeath(int code) {
        assertThat(code).as("exit code of the server:\n" + output()).isEqualTo(KILLED);
        died++;
        if (plan.killsBridges() && !bridgesKilled) {
            bridgesKilled = true;
            killBridges();
        }
    }

    private void killBridges() {
        for (var process : ownProcesses()) {
            ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private List<Processes.Found> ownProcesses() {
        return Processes.matching(p -> p.mentions(environment.get(AshServer.MARKER_VARIABLE)));
    }

    /** Sends SIGKILL to the running server. */
    void kill() {
        AshServer present;
        synchronized (this) {
            present = server;
        }
        if (present != null) {
            present.process().destroyForcibly();
            awaitDeath(present);
        }
    }

    /** Disables the planned kill points; from now on only {@link #kill} kills servers. */
    synchronized void disableKillPoints() {
        deaths.clear();
    }

    /** Sends a request, and repeats it on the next server when a server dies before it answers. */
    <T> T call(Function<Api, T> question) {
        while (true) {
            var present = server();
            try {
                return question.apply(present.api());
            } catch (UncheckedIOException e) {
                if (!awaitDeath(present)) {
                    throw new AssertionError("a running server closed the connection", e);
                }
            }
        }
    }

    boolean awaitDeath(AshServer present) {
        try {
            return present.process().waitFor(DEATH_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Waits for a condition; restarts servers that die meanwhile. */
    void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            server();
            if (condition.getAsBoolean()) {
                return;
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("timed out waiting until " + what);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Stops the server gracefully; fails if it leaves processes or mounts behind. */
    synchronized void stop() {
        server().stop();
        server = null;
    }

    String output() {
        return servers.isEmpty() ? "" : servers.getLast().output();
    }

    @Override
    public synchronized void close() {
        if (server != null) {
            server.process().destroyForcibly();
            awaitDeath(server);
        }
        killBridges();
        servers.forEach(each -> each.api().close());
        directory.close();
    }
}
