package dev.ash.server.repository;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A path inside the working directory of a session.
 *
 * @param absolute the absolute path as the session's agent sees it
 * @param relative relative to the working directory; empty for the directory itself
 */
record WorkingPath(String absolute, String relative) {
    /** Resolves an absolute or relative path; rejects paths outside the directory. */
    static WorkingPath of(Path directory, String text) {
        try {
            var path = directory.resolve(text).normalize();
            if (path.startsWith(directory)) {
                return new WorkingPath(path.toString(), directory.relativize(path).toString());
            }
        } catch (InvalidPathException e) {
            throw new BadPathException("The path must not contain NUL characters");
        }
        throw new BadPathException(
                "\"%s\" is outside of %s, the working directory of this session"
                        .formatted(text, directory));
    }
}
