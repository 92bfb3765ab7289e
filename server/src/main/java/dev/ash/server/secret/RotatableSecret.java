package dev.ash.server.secret;

import dev.ash.protocol.rest.SecretApi;
import java.io.IOException;
import java.time.Duration;

/** A secret of the server that can be replaced while the server runs. */
public interface RotatableSecret {
    /** As clients name it, such as {@code hook-token}. */
    String name();

    /** Ids, times and progress; never the secret itself. */
    SecretApi.Secret status();

    /** False where the operator's settings define the secret. */
    default boolean isRotatable() {
        return true;
    }

    /**
     * Replaces the secret. Holders of the previous one may use it until {@code overlap} has passed.
     * A crash at any point leaves either secret usable, and the rotation can be repeated.
     */
    void rotate(Duration overlap) throws IOException, InterruptedException;

    /** Ends the overlap of earlier rotations immediately. */
    default void revokePrevious() throws IOException {}
}
