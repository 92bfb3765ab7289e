package dev.ash.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.Api;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.Processes;
import dev.ash.e2e.TestFolder;
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

/** The servers of one run: when one dies the next is started on the same data directory. */
final class Host implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration A_MOMENT = Duration.ofMinutes(1);
    private static final int KILLED = 137;

    private final Plan plan;
    private final TestFolder folder;
    private final Queue<String> deaths;
    private final Map<String, String> environment;
    private final List<AshServer> servers = new ArrayList<>();
    private AshServer server; // guarded by this
    private volatile int died;
    private volatile boolean bridgesDied;

    Host(Plan plan, TestFolder folder) {
        this.plan = plan;
        this.folder = folder;
        this.deaths = plan.deathsInOrder();
        this.environment =
                Map.of(
                        AshServer.MARKED,
                        "/nowhere/ash-crash-" + UUID.randomUUID(),
                        "ASH_IDLE_TIMEOUT_MS",
                        plan.late() ? "250" : "1000");
    }

    /** How many servers ended by themselves or were killed. */
    int died() {
        return died;
    }

    boolean bridgesDied() {
        return bridgesDied;
    }

    Ledger ledger() {
        return new Ledger(folder.data().resolve("ash.db"));
    }

    TestFolder folder() {
        return folder;
    }

    /** The server that runs, started if the one before it is dead. */
    synchronized AshServer server() {
        while (server == null || !server.process().isAlive()) {
            if (server != null) {
                noteDeath(server.process().exitValue());
                server = null;
            }
            tryToStart(deaths.isEmpty() ? Plan.NONE : deaths.remove());
        }
        return server;
    }

    private void tryToStart(String death) {
        var all = new ArrayList<String>();
        if (!death.isEmpty()) {
            all.add("-Dash.killAt=" + death);
        }
        try {
            server = AshServer.start(environment, folder, all);
            servers.add(server);
        } catch (AshServer.NotStarted e) {
            if (e.exitCode() != KILLED) {
                throw e;
            }
            noteDeath(KILLED);
        }
    }

    private void noteDeath(int code) {
        assertThat(code).as("how the server ended:\n" + output()).isEqualTo(KILLED);
        died++;
        if (plan.bridgesDie() && !bridgesDied) {
            bridgesDied = true;
            killBridges();
        }
    }

    private void killBridges() {
        for (var process : ours()) {
            ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private List<Processes.Found> ours() {
        return Processes.matching(p -> p.mentions(environment.get(AshServer.MARKED)));
    }

    /** SIGKILL from outside. */
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

    /** From here on servers die of nothing but {@link #kill}. */
    synchronized void calm() {
        deaths.clear();
    }

    /** Asks until there is an answer: whoever was not answered asks again. */
    <T> T call(Function<Api, T> question) {
        while (true) {
            var present = server();
            try {
                return question.apply(present.api());
            } catch (UncheckedIOException e) {
                if (!awaitDeath(present)) {
                    throw new AssertionError("a server that lives hung up", e);
                }
            }
        }
    }

    boolean awaitDeath(AshServer present) {
        try {
            return present.process().waitFor(A_MOMENT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Waits, whoever dies meanwhile. */
    void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            server();
            if (condition.getAsBoolean()) {
                return;
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("it never came to this: " + what);
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

    /** In order, and nothing may be left. */
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
        folder.close();
    }
}
