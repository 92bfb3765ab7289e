package dev.ash.server.identity;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Authenticates the callers of all listeners by their credential, and ends the open calls of a
 * caller whose credential is revoked or expires. Each listener decides which kinds of callers it
 * serves. Thread-safe.
 */
public final class Authenticator implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.identity");

    /** Half of the second within which a revocation or expiry takes effect. */
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    private final IdentitySource apiKeys;
    private final IdentitySource devices;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread check;

    public Authenticator(IdentitySource apiKeys, IdentitySource devices) {
        this.apiKeys = apiKeys;
        this.devices = devices;
        this.check = Thread.ofVirtual().name("identity-check").start(this::check);
    }

    /** The registration of an open call; the caller of {@link #whileValid} closes it. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** Returns empty if the credential is unknown, revoked or expired. */
    public Optional<Identity> authenticate(String credential) {
        // API keys first: ASH_API_KEY can have any format, including that of a device token.
        return apiKeys.find(credential).or(() -> devices.find(credential));
    }

    /** Returns whether the caller's credential is neither revoked nor expired. */
    public boolean isValid(Identity caller) {
        return openCalls(caller).isValid(caller.id());
    }

    /**
     * Registers an open stream, wait or connection of a caller: passes the reason to {@code onEnd}
     * within a second after the credential is revoked or expires, possibly more than once. Close
     * the result to unregister.
     */
    public Registration whileValid(Identity caller, Consumer<String> onEnd) {
        return openCalls(caller).add(caller.id(), onEnd);
    }

    private OpenCalls openCalls(Identity caller) {
        return switch (caller) {
            case ApiKeyIdentity _ -> apiKeys.openCalls();
            case DeviceIdentity _ -> devices.openCalls();
        };
    }

    private void check() {
        try {
            while (!closed.await(CHECK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
                List.of(apiKeys, devices).forEach(Authenticator::endInvalid);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // not expected
        }
    }

    private static void endInvalid(IdentitySource source) {
        try {
            source.openCalls().endInvalid();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "Cannot check open calls", e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            check.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
