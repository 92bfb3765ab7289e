package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Goes through a tree once, folder by folder, each pinned before it is entered. What vanishes
 * meanwhile, cannot be opened or has a name that is not UTF-8 is passed over.
 */
final class TreeWalk {
    /** An agent can make more files than anybody wants to be told of. */
    private static final int MAX_VISITED = 200_000;

    /** Something in a folder; {@code path} is relative to the root. */
    record Found(
            Pinned folder, Path entry, String name, String path, PosixFileAttributes attributes) {}

    interface Visitor {
        /** False ends the walk. */
        boolean visit(Found found) throws IOException;
    }

    private final SkipRules rules;
    private final Visitor visitor;
    private int visited;
    private boolean complete = true;

    TreeWalk(SkipRules rules, Visitor visitor) {
        this.rules = rules;
        this.visitor = visitor;
    }

    /** What is in one folder, up to so many. */
    static List<Child> children(Pinned folder, int max) throws IOException {
        var found = new ArrayList<Child>();
        try (var entries = Files.newDirectoryStream(folder.path())) {
            for (var entry : entries) {
                var name = name(entry).filter(text -> !FileWriter.isUnfinished(text));
                if (name.isPresent() && found.size() < max) {
                    add(found, name.get(), entry);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    private static void add(List<Child> found, String name, Path entry) throws IOException {
        try {
            var attributes =
                    Files.readAttributes(
                            entry, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            found.add(new Child(name, attributes));
        } catch (NoSuchFileException _) {
            // It vanished meanwhile.
        }
    }

    /** Whether everything was seen. */
    boolean through(Pinned root) throws IOException {
        walk(root, "", 1);
        return complete;
    }

    private boolean walk(Pinned folder, String prefix, int depth) throws IOException {
        if (depth > RelativePath.MAX_DEPTH) {
            complete = false;
            return true;
        }
        try (var entries = Files.newDirectoryStream(folder.path())) {
            for (var entry : entries) {
                var name = name(entry);
                if (name.isPresent()
                        && !rules.skips(name.get())
                        && !step(folder, entry, name.get(), prefix, depth)) {
                    complete = false;
                    return false;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } catch (NoSuchFileException _) {
            return true;
        }
        return true;
    }

    private boolean step(Pinned folder, Path entry, String name, String prefix, int depth)
            throws IOException {
        if (++visited > MAX_VISITED) {
            return false;
        }
        var path = prefix + name;
        try {
            var attributes =
                    Files.readAttributes(
                            entry, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!visitor.visit(new Found(folder, entry, name, path, attributes))) {
                return false;
            }
            return !attributes.isDirectory() || enter(folder, name, path, depth);
        } catch (NoSuchFileException _) {
            return true;
        }
    }

    private boolean enter(Pinned folder, String name, String path, int depth) throws IOException {
        try (var child = folder.child(name)) {
            return !child.attributes().isDirectory() || walk(child, path + "/", depth + 1);
        } catch (AccessDeniedException _) {
            return true; // a server that is not root cannot enter all that an agent can lock
        }
    }

    /**
     * In a locale without UTF-8 the text of a path has lost what its URI still has, byte by byte.
     */
    private static Optional<String> name(Path entry) {
        var text = entry.getFileName().toString();
        if (text.chars().allMatch(c -> c < 128 && c != '?')) {
            return Optional.of(text);
        }
        var uri = entry.getFileName().toUri().getRawPath();
        var raw = uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
        return decode(raw.substring(raw.lastIndexOf('/') + 1));
    }

    private static Optional<String> decode(String escaped) {
        var bytes = ByteBuffer.allocate(escaped.length());
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c == '%') {
                bytes.put((byte) HexFormat.fromHexDigits(escaped, i + 1, i + 3));
                i += 2;
            } else {
                bytes.put((byte) c);
            }
        }
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString());
        } catch (CharacterCodingException _) {
            return Optional.empty();
        }
    }
}
