package dev.ash.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs one scenario with its server deaths, and checks that logs and effects do not show them. */
final class CrashRun {
    private final Plan plan;

    CrashRun(Plan plan) {
        this.plan = plan;
    }

    /** Returns the number of servers that died during the scenario. */
    int run() throws IOException, InterruptedException {
        var directory =
                plan.isMigration() ? DataTemplate.copyOfFirstVersion() : DataTemplate.copy();
        try (var servers = new CrashServers(plan, directory)) {
            try {
                return runScenario(servers);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(plan + "\n" + servers.output(), e);
            }
        }
    }

    private int runScenario(CrashServers servers) throws IOException {
        var scenario = new ClientScenario(plan, servers);
        try (var _ = killer(servers)) {
            scenario.run();
        }
        scenario.awaitIdle();
        int died = servers.deathCount();
        servers.disableKillPoints();
        var invariants = new CrashInvariants(plan, servers, scenario.sessions());
        var log = invariants.replay();
        invariants.assertSubscribersReceived(log);
        scenario.sessions().forEach(session -> session.subscriber().stop());
        invariants.assertLogs(log);

        servers.kill();

        assertThat(invariants.replay()).as("logs after another death").isEqualTo(log);
        invariants.assertEffects();
        servers.stop();
        invariants.assertLogs(log);
        return died;
    }

    private interface Killer extends AutoCloseable {
        @Override
        void close();
    }

    private Killer killer(CrashServers servers) {
        if (plan.externalKillMs() == 0) {
            return () -> {};
        }
        var over = new CountDownLatch(1);
        var thread =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        over.await(plan.externalKillMs(), TimeUnit.MILLISECONDS);
                                        servers.kill();
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
        return () -> {
            over.countDown();
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
        };
    }
}
