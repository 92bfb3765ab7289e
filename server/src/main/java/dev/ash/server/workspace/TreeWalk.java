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
 * Walks a tree once, pinning each directory before it is entered. Skips entries that are deleted
 * concurrently, cannot be opened or have a name that is not UTF-8.
 */
final class TreeWalk {
    /** Bounds the work on a tree in which an agent creates a huge number of files. */
    private static final int MAX_VISITED = 200_000;

    /** A visited entry; {@code path} is relative to the root. */
    record Entry(
            PinnedPath directory,
            Path location,
            String name,
            String path,
            PosixFileAttributes attributes) {}

    interface Visitor {
        /** Returns false to end the walk. */
        boolean visit(Entry entry) throws IOException;
    }

    private final SkipRules rules;
    private final Visitor visitor;
    private int visited;
    private boolean complete = true;

    TreeWalk(SkipRules rules, Visitor visitor) {
        this.rules = rules;
        this.visitor = visitor;
    }

    /** Returns at most {@code max} entries of a directory. */
    static List<DirectoryEntry> children(PinnedPath directory, int max) throws IOException {
        var found = new ArrayList<DirectoryEntry>();
        try (var entries = Files.newDirectoryStream(directory.path())) {
            for (var entry : entries) {
                var name = name(entry).filter(text -> !FileWriter.isTemporary(text));
                if (name.isPresent() && found.size() < max) {
                    add(found, name.get(), entry);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    private static void add(List<DirectoryEntry> found, String name, Path entry)
            throws IOException {
        try {
            var attributes =
                    Files.readAttributes(
                            entry, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            found.add(new DirectoryEntry(name, attributes));
        } catch (NoSuchFileException _) {
            // Deleted concurrently.
        }
    }

    /** Returns whether all entries were visited. */
    boolean walk(PinnedPath root) throws IOException {
        walk(root, "", 1);
        return complete;
    }

    private boolean walk(PinnedPath directory, String prefix, int depth) throws IOException {
        if (depth > RelativePath.MAX_DEPTH) {
            complete = false;
            return true;
        }
        try (var entries = Files.newDirectoryStream(directory.path())) {
            for (var entry : entries) {
                var name = name(entry);
                if (name.isPresent()
                        && !rules.skips(name.get())
                        && !step(directory, entry, name.get(), prefix, depth)) {
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

    private boolean step(PinnedPath directory, Path entry, String name, String prefix, int depth)
            throws IOException {
        if (++visited > MAX_VISITED) {
            return false;
        }
        var path = prefix + name;
        try {
            var attributes =
                    Files.readAttributes(
                            entry, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!visitor.visit(new Entry(directory, entry, name, path, attributes))) {
                return false;
            }
            return !attributes.isDirectory() || enter(directory, name, path, depth);
        } catch (NoSuchFileException _) {
            return true;
        }
    }

    private boolean enter(PinnedPath directory, String name, String path, int depth)
            throws IOException {
        try (var child = directory.child(name)) {
            return !child.attributes().isDirectory() || walk(child, path + "/", depth + 1);
        } catch (AccessDeniedException _) {
            return true; // an agent can make directories unreadable for a server that is not root
        }
    }

    /**
     * Decodes the name from the URI of the path, which keeps all bytes: in a locale without UTF-8,
     * its string does not.
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
