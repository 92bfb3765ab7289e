package dev.ash.server.identity;

import java.util.Optional;

/** Finds out who presents a key or token. */
@FunctionalInterface
public interface Authenticator {
    /** Empty if the key or token is unknown, revoked or expired. */
    Optional<Identity> authenticate(String presented);
}
