package dev.ash.server.secret;

import dev.ash.protocol.SandboxId;
import dev.ash.server.store.KeyRing;
import dev.ash.server.store.Sealer;
import java.io.IOException;
import java.time.Clock;
import java.util.function.Predicate;

/**
 * Removes previous token keys after their overlap, once no running sandbox uses a placeholder
 * derived from them.
 */
final class PreviousTokenKeys {
    private static final System.Logger LOG = System.getLogger("ash.secret");

    private final Sealer sealer;
    private final SealedValueStore values;
    private final Clock clock;
    private final Predicate<SandboxId> isRunning;
    private final long openedAt;

    /** Create this before sandboxes are launched or adopted. */
    PreviousTokenKeys(
            Sealer sealer, SealedValueStore values, Clock clock, Predicate<SandboxId> isRunning) {
        this.sealer = sealer;
        this.values = values;
        this.clock = clock;
        this.isRunning = isRunning;
        this.openedAt = clock.millis();
    }

    void removeUnneeded() throws IOException {
        long now = clock.millis();
        var previous = sealer.ring().previousTokens();
        var needed = previous.stream().filter(old -> isNeeded(old, now)).toList();
        if (needed.size() < previous.size()) {
            sealer.update(
                    ring ->
                            ring.withPreviousTokens(
                                    ring.previousTokens().stream()
                                            .filter(old -> isNeeded(old, now))
                                            .toList()));
            LOG.log(System.Logger.Level.INFO, "Removed a previous token key");
        }
    }

    private boolean isNeeded(KeyRing.PreviousTokens old, long now) {
        return old.replacedAt() == 0 || old.acceptedUntil() > now || hasSandbox(old);
    }

    /** Launches of this process always count: the sandbox may not be registered as running yet. */
    private boolean hasSandbox(KeyRing.PreviousTokens old) {
        return values.launchesUntil(old.replacedAt()).stream()
                .anyMatch(launch -> launch.at() >= openedAt || isRunning.test(launch.sandbox()));
    }

    /** Ends the overlap of all previous keys. */
    void revoke() throws IOException {
        sealer.update(
                ring ->
                        ring.withPreviousTokens(
                                ring.previousTokens().stream()
                                        .map(
                                                old ->
                                                        new KeyRing.PreviousTokens(
                                                                old.key(), old.replacedAt(), 0))
                                        .toList()));
    }

    /** Returns the end of the last overlap; 0 if there is none. */
    long acceptedUntil() {
        long now = clock.millis();
        return sealer.ring().previousTokens().stream()
                .mapToLong(KeyRing.PreviousTokens::acceptedUntil)
                .filter(time -> time > now)
                .max()
                .orElse(0);
    }
}
