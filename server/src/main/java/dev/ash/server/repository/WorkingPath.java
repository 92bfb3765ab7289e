package dev.ash.server.repository;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A path that someone named, absolute or from the working directory on, and found to lie in it.
 *
 * @param absolute as the session's agent sees it
 * @param relative from the working directory on; empty for that itself
 */
record WorkingPath(String absolute, String relative) {
    static WorkingPath of(Path directory, String text) {
        try {
            var path = directory.resolve(text).normalize();
            if (path.startsWith(directory)) {
                return new WorkingPath(path.toString(), directory.relativize(path).toString());
            }
        } catch (InvalidPathException e) {
            throw new BadPathException("A path is text without NUL characters");
        }
        throw new BadPathException(
                "\"%s\" lies outside of %s, where this session works".formatted(text, directory));
    }
}
