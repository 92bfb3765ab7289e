package dev.ash.server.pair;

import dev.ash.pair.loop.RepositoryException;
import java.util.regex.Pattern;

/** Names of commits, which come out of sandboxes and go into commands. */
final class CommitHash {
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{40}([0-9a-f]{24})?");

    static String checked(String name) throws RepositoryException {
        if (!NAME.matcher(name).matches()) {
            throw new RepositoryException("Git named no commit");
        }
        return name;
    }

    private CommitHash() {}
}
