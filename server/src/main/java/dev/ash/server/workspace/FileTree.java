package dev.ash.server.workspace;

import dev.ash.protocol.rest.FileEntry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;

/**
 * Reads and writes the files below one directory while an untrusted agent may be changing them.
 * Each step of a path is resolved in its pinned parent directory, so replacing a directory by a
 * link at any moment cannot lead outside. Links are rejected, and special files are never opened.
 */
public final class FileTree {
    private static final int MAX_LISTED = 10_000;
    private static final DateTimeFormatter MILLISECONDS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    private final Root root;
    private final FileWriter writer;

    /** Opens the directory that paths are relative to. */
    interface Root {
        PinnedPath open() throws IOException;
    }

    /** {@code owner} is the uid and gid of new files; without it they belong to the server. */
    public FileTree(Path root, OptionalInt owner) {
        this(() -> PinnedPath.open(root), owner);
    }

    FileTree(Root root, OptionalInt owner) {
        this.root = root;
        this.writer = new FileWriter(owner);
    }

    /**
     * Returns a tree whose root is in a directory that agents can write to: every operation fails
     * if any step of the path to the root is a link. New files belong to the user of the thread.
     */
    public static FileTree withoutLinks(Path root) {
        return new FileTree(() -> PinnedPath.openWithoutLinks(root), OptionalInt.empty());
    }

    /** Returns at most {@code max} entries of a directory, in no particular order. */
    public List<DirectoryEntry> children(String path, int max) {
        try (var directory = pin(path)) {
            FileErrors.requireDirectory(directory.attributes(), path.isEmpty() ? "." : path);
            return TreeWalk.children(directory, max);
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    /** Returns the attributes of a file, directory or link; of the root for an empty path. */
    PosixFileAttributes attributes(String path) {
        try (var pinned = pin(path)) {
            return pinned.attributes();
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    private PinnedPath pin(String path) throws IOException {
        if (path.isEmpty()) {
            return root.open();
        }
        var target = RelativePath.parse(path);
        try (var directory = openParent(target)) {
            return directory.child(target.name());
        }
    }

    /** Lists regular files, sorted by path. */
    public Listing list(SkipRules rules) {
        var files = new ArrayList<FileEntry>();
        boolean complete =
                walk(
                        rules,
                        found -> {
                            if (found.attributes().isRegularFile()) {
                                files.add(entry(found.path(), found.attributes()));
                            }
                            return files.size() < MAX_LISTED;
                        });
        files.sort(Comparator.comparing(FileEntry::path));
        return new Listing(List.copyOf(files), !complete);
    }

    public byte[] read(String path, int maxBytes) {
        try (var file = open(path, maxBytes)) {
            return file.content().readAllBytes();
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    /** Opens a file for streaming; the caller closes it. */
    public OpenFile open(String path, long maxBytes) {
        var target = RelativePath.parse(path);
        try (var directory = openParent(target);
                var file = directory.child(target.name())) {
            var attributes = file.attributes();
            FileErrors.requireRegular(attributes, path);
            FileErrors.requireAtMost(maxBytes, attributes.size(), path);
            var in = Files.newInputStream(file.path(), StandardOpenOption.READ);
            return new OpenFile(new BoundedInputStream(in, attributes.size()), attributes.size());
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    public void write(String path, byte[] content, boolean executable) {
        write(path, new ByteArrayInputStream(content), executable);
    }

    /** Writes a file atomically, and creates missing parent directories. */
    public void write(String path, InputStream content, boolean executable) {
        var target = RelativePath.parse(path);
        try (var directory = openOrCreateParent(target)) {
            writer.write(directory, target, content, executable);
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    /** Removes a file or link; rejects directories. */
    public void delete(String path) {
        var target = RelativePath.parse(path);
        try (var directory = openParent(target);
                var file = directory.child(target.name())) {
            FileErrors.requireNotDirectory(file.attributes(), path);
            directory.remove(target.name());
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    /** Returns the target of a link; empty if it is not a link or its target is not UTF-8. */
    String linkTarget(String path) {
        var link = RelativePath.parse(path);
        try (var directory = openParent(link)) {
            var target = Files.readSymbolicLink(directory.path().resolve(link.name())).toString();
            return target.indexOf('\uFFFD') >= 0 ? "" : target;
        } catch (NotLinkException _) {
            return "";
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    /** Creates a link. The caller has checked its target; this class never follows links. */
    void createLink(String path, String target) {
        var link = RelativePath.parse(path);
        try (var directory = openOrCreateParent(link)) {
            writer.createLink(directory, link, target);
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    void createDirectory(String path) {
        var inside = new ArrayList<>(RelativePath.parse(path).names());
        inside.add("any"); // so that the directory itself is a parent
        try {
            openOrCreateParent(new RelativePath(inside)).close();
        } catch (IOException e) {
            throw FileErrors.map(e, path);
        }
    }

    /** Visits all entries; returns false if some were not visited. */
    boolean walk(SkipRules rules, TreeWalk.Visitor visitor) {
        try (var pinned = root.open()) {
            return new TreeWalk(rules, visitor).walk(pinned);
        } catch (NoSuchFileException _) {
            throw FileErrors.rootNotFound();
        } catch (IOException e) {
            throw FileErrors.map(e, ".");
        }
    }

    private static FileEntry entry(String path, PosixFileAttributes attributes) {
        var modified = MILLISECONDS.format(attributes.lastModifiedTime().toInstant());
        return new FileEntry(path, attributes.size(), modified);
    }

    private PinnedPath openParent(RelativePath path) throws IOException {
        return descend(path, PinnedPath::child);
    }

    private PinnedPath openOrCreateParent(RelativePath path) throws IOException {
        return descend(path, this::openOrCreateChild);
    }

    private interface Step {
        PinnedPath open(PinnedPath directory, String name) throws IOException;
    }

    private PinnedPath descend(RelativePath path, Step step) throws IOException {
        var at = root.open();
        try {
            for (var name : path.parents()) {
                var next = step.open(at, name);
                at.close();
                at = next;
                FileErrors.requireDirectory(at.attributes(), name);
            }
            return at;
        } catch (IOException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    private PinnedPath openOrCreateChild(PinnedPath directory, String name) throws IOException {
        try {
            return directory.child(name);
        } catch (NoSuchFileException _) {
            try {
                directory.createDirectory(name);
            } catch (FileAlreadyExistsException _) {
                return directory.child(name); // created concurrently
            }
            try (var created = directory.child(name)) {
                writer.transferOwnership(created);
            }
            return directory.child(name);
        }
    }
}
