package dev.ash.server.pair;

import dev.ash.pair.loop.WorkshopException;
import java.util.regex.Pattern;

/** Names of commits, which come out of sandboxes and go into commands. */
final class Commits {
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{40}([0-9a-f]{24})?");

    static String checked(String name) throws WorkshopException {
        if (!NAME.matcher(name).matches()) {
            throw new WorkshopException("Git named no commit");
        }
        return name;
    }

    private Commits() {}
}
