package dev.ash.server.pair;

import dev.ash.pair.loop.RepositoryException;
import java.util.regex.Pattern;

/** Validates commit hashes that come from sandboxes before they are used in commands. */
final class CommitHash {
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{40}([0-9a-f]{24})?");

    static String requireValid(String hash) throws RepositoryException {
        if (!HASH.matcher(hash).matches()) {
            throw new RepositoryException("Git returned an invalid commit hash");
        }
        return hash;
    }

    private CommitHash() {}
}
