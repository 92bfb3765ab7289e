package dev.ash.server.identity;

import java.util.Optional;

/** Stores the credentials of one kind of caller. */
public interface IdentitySource {
    /** Empty if the credential is of another kind, unknown, revoked or expired. */
    Optional<Identity> find(String credential);

    /** What is open for callers of this kind; the source ends it when it revokes a credential. */
    OpenCalls openCalls();
}
