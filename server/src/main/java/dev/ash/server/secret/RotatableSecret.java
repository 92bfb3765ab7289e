package dev.ash.server.secret;

import dev.ash.protocol.rest.SecretApi;
import java.io.IOException;
import java.time.Duration;

/** A secret of the server that can be replaced while the server runs. */
public interface RotatableSecret {
    /** Returns the name in the API, such as {@code hook-token}. */
    String name();

    /** Returns ids, times and progress, but never the secret itself. */
    SecretApi.Secret status();

    /** Returns false if the secret is configured by the operator. */
    default boolean isRotatable() {
        return true;
    }

    /**
     * Replaces the secret. The previous one remains valid until {@code overlap} has passed. After a
     * crash at any point one of the secrets is valid, and the rotation can be repeated.
     */
    void rotate(Duration overlap) throws IOException, InterruptedException;

    /** Ends the overlap of earlier rotations immediately. */
    default void revokePrevious() throws IOException {}
}
