package dev.ash.server.identity;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Identifies the callers of all listeners by the credential that they present, and ends what is
 * open for a caller whose credential is revoked or expires. Each listener decides which kinds of
 * callers it serves. Thread-safe.
 */
public final class Authenticator implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.identity");

    /** Half of the second within which the end of a credential is effective. */
    private static final Duration CHECK = Duration.ofMillis(500);

    private final IdentitySource apiKeys;
    private final IdentitySource devices;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread check;

    public Authenticator(IdentitySource apiKeys, IdentitySource devices) {
        this.apiKeys = apiKeys;
        this.devices = devices;
        this.check = Thread.ofVirtual().name("identity-check").start(this::check);
    }

    /** Closed by the one who registered. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** Empty if the credential is unknown, revoked or expired. */
    public Optional<Identity> authenticate(String credential) {
        // API keys first: ASH_API_KEY may have any form, also that of a device token.
        return apiKeys.find(credential).or(() -> devices.find(credential));
    }

    /** Whether the caller's credential is neither revoked nor expired at this moment. */
    public boolean isValid(Identity caller) {
        return openCalls(caller).isValid(caller.id());
    }

    /**
     * Watches a caller while a stream, a wait or a connection is open for it: passes the reason to
     * {@code onEnd} within a second after the credential is revoked or expires, perhaps more than
     * once. Closing the result ends this.
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
            while (!closed.await(CHECK.toNanos(), TimeUnit.NANOSECONDS)) {
                List.of(apiKeys, devices).forEach(Authenticator::endInvalid);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts it
        }
    }

    private static void endInvalid(IdentitySource source) {
        try {
            source.openCalls().endInvalid();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "Open calls could not be checked", e);
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
