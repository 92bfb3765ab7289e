package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A validated path below a root, without empty, {@code .} or {@code ..} steps. */
record RelativePath(List<String> names) {
    static final int MAX_DEPTH = 64;
    private static final int MAX_BYTES = 4096;
    private static final int MAX_NAME_BYTES = 255;

    static RelativePath parse(String text) {
        if (text.isEmpty()) {
            throw ApiException.invalid("path", "must not be empty");
        }
        if (text.startsWith("/")) {
            throw ApiException.invalid("path", "must be relative; remove the leading slash");
        }
        if (text.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw ApiException.invalid("path", "must be valid Unicode text without NUL characters");
        }
        var names = List.of(text.split("/", -1));
        if (text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES || names.size() > MAX_DEPTH) {
            throw ApiException.invalid(
                    "path",
                    "must be at most " + MAX_BYTES + " bytes and " + MAX_DEPTH + " levels deep");
        }
        names.forEach(RelativePath::check);
        return new RelativePath(names);
    }

    List<String> parents() {
        return names.subList(0, names.size() - 1);
    }

    String name() {
        return names.getLast();
    }

    @Override
    public String toString() {
        return String.join("/", names);
    }

    private static void check(String name) {
        if (name.isEmpty() || name.equals(".") || name.equals("..")) {
            throw ApiException.invalid("path", "must not contain empty parts, \".\" or \"..\"");
        }
        if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            throw ApiException.invalid(
                    "path", "must consist of names of at most " + MAX_NAME_BYTES + " bytes");
        }
    }
}
