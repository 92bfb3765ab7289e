package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.Identity;
import org.jspecify.annotations.Nullable;

/**
 * Ends the streams and waits of an exchange when the caller's key is revoked or expires. Interrupts
 * the handler only while it waits or writes its response: elsewhere an interrupt could close a
 * shared channel. The lock prevents an interrupt after the exchange, when the thread may serve
 * another request.
 */
final class CallerValidity implements AutoCloseable {
    private final Authenticator authenticator;
    private final Identity caller;
    private Authenticator.@Nullable Registration registration;
    private @Nullable Thread waiting; // guarded by this, like endReason
    private @Nullable String endReason;

    CallerValidity(Authenticator authenticator, Identity caller) {
        this.authenticator = authenticator;
        this.caller = caller;
    }

    Identity caller() {
        return caller;
    }

    /** Starts to observe the key, for a response that is written incrementally. */
    void observe() {
        if (registration == null) {
            registration = authenticator.whileValid(caller, this::end);
        }
    }

    /** Call before the thread only waits and writes; it is then interrupted when the key ends. */
    void beginWait() {
        observe();
        synchronized (this) {
            requireValid();
            waiting = Thread.currentThread();
        }
    }

    /** After this call, the thread is no longer interrupted. */
    synchronized void endWait() {
        if (waiting != null) {
            waiting = null;
            if (endReason != null) {
                Thread.interrupted(); // clear our interrupt: the next request must not see it
            }
        }
    }

    private synchronized void end(String reason) {
        if (endReason == null) {
            endReason = reason;
            if (waiting != null) {
                waiting.interrupt();
            }
        }
    }

    synchronized boolean hasEnded() {
        return endReason != null;
    }

    /** Fails with UNAUTHORIZED once the key has been revoked or has expired. */
    synchronized void requireValid() {
        if (endReason != null) {
            throw new ApiException(ErrorCode.UNAUTHORIZED, endReason);
        }
    }

    @Override
    public void close() {
        endWait();
        if (registration != null) {
            registration.close();
        }
    }
}
