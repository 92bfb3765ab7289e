package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.Identity;
import org.jspecify.annotations.Nullable;

/**
 * Ends the streams and waits of one exchange when its caller's key is revoked or expires. Only a
 * handler that does nothing but wait and write is interrupted: elsewhere an interrupt could close a
 * channel that others share. The lock makes sure that no interrupt reaches the thread afterwards,
 * when it may serve another request.
 */
final class Validity implements AutoCloseable {
    private final Authenticator authenticator;
    private final Identity caller;
    private Authenticator.@Nullable Registration registration;
    private @Nullable Thread waiting; // guarded by this, as is the next
    private @Nullable String ended;

    Validity(Authenticator authenticator, Identity caller) {
        this.authenticator = authenticator;
        this.caller = caller;
    }

    Identity caller() {
        return caller;
    }

    /** Starts to watch the key, for a body that the handler writes piece by piece. */
    void watch() {
        if (registration == null) {
            registration = authenticator.whileValid(caller, this::end);
        }
    }

    /** From here on the thread only waits and writes; it is interrupted when the key ends. */
    void beginWait() {
        watch();
        synchronized (this) {
            requireValid();
            waiting = Thread.currentThread();
        }
    }

    /** After this, the thread is not interrupted anymore. */
    synchronized void endWait() {
        if (waiting != null) {
            waiting = null;
            if (ended != null) {
                Thread.interrupted(); // ours, and not to be seen by the next request
            }
        }
    }

    private synchronized void end(String reason) {
        if (ended == null) {
            ended = reason;
            if (waiting != null) {
                waiting.interrupt();
            }
        }
    }

    synchronized boolean hasEnded() {
        return ended != null;
    }

    /** Fails with UNAUTHORIZED once the key has been revoked or has expired. */
    synchronized void requireValid() {
        if (ended != null) {
            throw new ApiException(ErrorCode.UNAUTHORIZED, ended);
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
