package dev.ash.server.identity;

import java.util.Optional;

/** Finds callers of one kind by their credential. */
public interface IdentitySource {
    /** Returns empty if the credential is of another kind, unknown, revoked or expired. */
    Optional<Identity> find(String credential);

    /** Returns the open calls of this kind of caller; the source ends them upon revocation. */
    OpenCalls openCalls();
}
