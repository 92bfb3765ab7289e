package dev.ash.sdk;

import dev.ash.protocol.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Retries one call, or the connections of one stream. Not thread-safe, except {@link #stop}. */
final class Retries {
    private static final long INITIAL_DELAY = Duration.ofMillis(100).toNanos();
    private static final long MAX_DELAY = Duration.ofSeconds(5).toNanos();

    private final ReconnectPolicy policy;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private boolean serverReached;
    private boolean disconnected;
    private boolean progressed;
    private long openedAt;
    private long delay = INITIAL_DELAY;
    private long deadline;

    /** {@code serverReached}: the server has responded before, so retry if it is unreachable. */
    Retries(ReconnectPolicy policy, boolean serverReached) {
        this.policy = policy;
        this.serverReached = serverReached;
    }

    /** Repeats the action while it fails with a transient error. */
    <T> T call(Supplier<T> action) {
        while (true) {
            try {
                var result = action.get();
                onOpened();
                return result;
            } catch (AshException e) {
                if (!isTransient(e)) {
                    throw e;
                }
                awaitRetry(e);
            }
        }
    }

    /** Records new data: the next disconnect starts a new retry period. */
    void progressed() {
        progressed = true;
    }

    /** Waits until the next retry is due; throws {@code cause} when the time limit is over. */
    void awaitRetry(AshException cause) {
        serverReached = true;
        long now = System.nanoTime();
        if (!disconnected && (progressed || deadline == 0 || now - openedAt > MAX_DELAY)) {
            delay = INITIAL_DELAY;
            deadline = now + policy.limit().toNanos();
            progressed = false;
        }
        if (isStopped() || deadline - now <= 0) {
            throw cause;
        }
        if (!disconnected) {
            disconnected = true;
            policy.listener().onDisconnect(cause);
        }
        try {
            if (stopped.await(Math.min(delay, deadline - now), TimeUnit.NANOSECONDS)) {
                throw cause;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cause;
        }
        delay = Math.min(2 * delay, MAX_DELAY);
    }

    /** Cancels retries, from any thread. */
    void stop() {
        stopped.countDown();
    }

    boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private void onOpened() {
        serverReached = true;
        openedAt = System.nanoTime();
        if (disconnected) {
            disconnected = false;
            policy.listener().onReconnect();
        }
    }

    private boolean isTransient(AshException failure) {
        return switch (failure) {
            case ConnectionLostException _ -> true;
            case ServerUnreachableException _ -> serverReached;
            case UntrustedServerException _ -> false;
            case AshApiException error -> serverReached && isServerRestart(error);
        };
    }

    /** A server shutting down sends its code; a proxy whose server is down sends none. */
    private static boolean isServerRestart(AshApiException error) {
        return error.is(ErrorCode.SHUTTING_DOWN)
                || (error.code().isEmpty() && error.status() >= 502 && error.status() <= 504);
    }
}
