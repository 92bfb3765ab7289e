package dev.ash.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One history with its deaths, and the proof that nobody could tell from the log. */
final class CrashRun {
    private final Plan plan;

    CrashRun(Plan plan) {
        this.plan = plan;
    }

    /** Returns how many servers died in the course of the history. */
    int run() throws IOException, InterruptedException {
        var folder = plan.isMigration() ? Template.copyOfFirstVersion() : Template.copy();
        try (var host = new Host(plan, folder)) {
            try {
                return play(host);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(plan + "\n" + host.output(), e);
            }
        }
    }

    private int play(Host host) throws IOException {
        var history = new History(plan, host);
        try (var _ = killer(host)) {
            history.play();
        }
        history.comeToRest();
        int died = host.died();
        host.calm();
        var verdict = new Verdict(plan, host, history.subjects());
        var log = verdict.replay();
        verdict.watchersSaw(log);
        history.subjects().forEach(subject -> subject.watch().end());
        verdict.logsHold(log);

        host.kill();

        assertThat(verdict.replay()).as("the log after another death").isEqualTo(log);
        verdict.effectsHold();
        host.stop();
        verdict.logsHold(log);
        return died;
    }

    private interface Killer extends AutoCloseable {
        @Override
        void close();
    }

    private Killer killer(Host host) {
        if (plan.outsideMs() == 0) {
            return () -> {};
        }
        var over = new CountDownLatch(1);
        var thread =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        over.await(plan.outsideMs(), TimeUnit.MILLISECONDS);
                                        host.kill();
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
