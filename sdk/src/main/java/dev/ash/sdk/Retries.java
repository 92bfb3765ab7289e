package dev.ash.sdk;

import dev.ash.protocol.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The tries of one call, or of one stream with all its connections. For one thread at a time. */
final class Retries {
    private static final long FIRST_DELAY = Duration.ofMillis(100).toNanos();
    private static final long LONGEST_DELAY = Duration.ofSeconds(5).toNanos();

    private final Patience patience;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private boolean beenThere;
    private boolean lost;
    private boolean progressed;
    private long openedAt;
    private long delay = FIRST_DELAY;
    private long deadline;

    /** {@code beenThere}: the server has answered before, so that its absence is a loss. */
    Retries(Patience patience, boolean beenThere) {
        this.patience = patience;
        this.beenThere = beenThere;
    }

    /** Calls until there is an answer. Refusals are answers, and so is a server never seen. */
    <T> T call(Supplier<T> action) {
        while (true) {
            try {
                var answer = action.get();
                opened();
                return answer;
            } catch (AshException e) {
                if (!mayPass(e)) {
                    throw e;
                }
                await(e);
            }
        }
    }

    /** Something new came: the next loss is a new one, with all the patience. */
    void progressed() {
        progressed = true;
    }

    /** Waits for the time of the next try; throws {@code why} where there is none. */
    void await(AshException why) {
        beenThere = true;
        long now = System.nanoTime();
        if (!lost && (progressed || deadline == 0 || now - openedAt > LONGEST_DELAY)) {
            delay = FIRST_DELAY;
            deadline = now + patience.limit().toNanos();
            progressed = false;
        }
        if (isStopped() || deadline - now <= 0) {
            throw why;
        }
        if (!lost) {
            lost = true;
            patience.listener().lost(why);
        }
        try {
            if (stopped.await(Math.min(delay, deadline - now), TimeUnit.NANOSECONDS)) {
                throw why;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw why;
        }
        delay = Math.min(2 * delay, LONGEST_DELAY);
    }

    /** Ends the waiting, from any thread. */
    void stop() {
        stopped.countDown();
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private void opened() {
        beenThere = true;
        openedAt = System.nanoTime();
        if (lost) {
            lost = false;
            patience.listener().regained();
        }
    }

    private boolean mayPass(AshException failure) {
        return switch (failure) {
            case ConnectionLostException _ -> true;
            case ServerUnreachableException _ -> beenThere;
            case UntrustedServerException _ -> false;
            case AshApiException refusal -> beenThere && isOfARestart(refusal);
        };
    }

    /** A server on its way down says so; a proxy before one that is not up yet has no code. */
    private static boolean isOfARestart(AshApiException refusal) {
        return refusal.is(ErrorCode.SHUTTING_DOWN)
                || (refusal.code().isEmpty() && refusal.status() >= 502 && refusal.status() <= 504);
    }
}
