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
 * The files below one folder, while an untrusted agent may be changing them. Every step of a path
 * is taken from the folder before it, held open, so that no exchange of a folder for a link, at
 * whatever moment, leads outside; links are refused, and special files never opened.
 */
public final class FileTree {
    private static final int MAX_LISTED = 10_000;
    private static final DateTimeFormatter MILLISECONDS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    private final Root root;
    private final FileWriter writer;

    /** Opens the folder that the paths start from. */
    interface Root {
        Pinned open() throws IOException;
    }

    /** What is written will belong to the user and group of the owner's number, if there is one. */
    public FileTree(Path root, OptionalInt owner) {
        this(() -> Pinned.open(root), owner);
    }

    FileTree(Root root, OptionalInt owner) {
        this.root = root;
        this.writer = new FileWriter(owner);
    }

    /**
     * For a root that lies where agents write too: it is gone as soon as any step on the way to it
     * is a link. What is written will belong to whoever writes.
     */
    public static FileTree withoutLinks(Path root) {
        return new FileTree(() -> Pinned.openWithoutLinks(root), OptionalInt.empty());
    }

    /** What is in one folder, in no order; fewer than there are, if there are too many. */
    public List<Child> children(String path, int max) {
        try (var folder = opened(path)) {
            FileRefusals.requireFolder(folder.attributes(), path.isEmpty() ? "." : path);
            return TreeWalk.children(folder, max);
        } catch (IOException e) {
            throw FileRefusals.of(e, path);
        }
    }

    /** Of a file, of a folder, or of a link itself; the root's for an empty path. */
    PosixFileAttributes attributes(String path) {
        try (var pinned = opened(path)) {
            return pinned.attributes();
        } catch (IOException e) {
            throw FileRefusals.of(e, path);
        }
    }

    private Pinned opened(String path) throws IOException {
        if (path.isEmpty()) {
            return root.open();
        }
        var target = RelativePath.parse(path);
        try (var folder = folder(target)) {
            return folder.child(target.name());
        }
    }

    /** Regular files only, by path. */
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
            throw FileRefusals.of(e, path);
        }
    }

    /** For files that are too large to hold; the caller closes it. */
    public OpenFile open(String path, long maxBytes) {
        var target = RelativePath.parse(path);
        try (var folder = folder(target);
                var file = folder.child(target.name())) {
            var attributes = file.attributes();
            FileRefusals.requireRegular(attributes, path);
            FileRefusals.requireAtMost(maxBytes, attributes.size(), path);
            var in = Files.newInputStream(file.path(), StandardOpenOption.READ);
            return new OpenFile(new BoundedInputStream(in, attributes.size()), attributes.size());
        } catch (IOException e) {
            throw FileRefusals.of(e, path);
        }
    }

    public void write(String path, byte[] content, boolean executable) {
        write(path, new ByteArrayInputStream(content), executable);
    }

    /** Makes folders as needed; the file is there whole, or as it was before. */
    public void write(String path, InputStream content, boolean executable) {
        var target = RelativePath.parse(path);
        try (var folder = madeFolder(target)) {
            writer.write(folder, target, content, executable);
        } catch (IOException e) {
            throw FileRefusals.of(e, path);
        }
    }

    /** Removes a file, or a link itself; not a folder. */
    public void delete(String path) {
        var target = RelativePath.parse(path);
        try (var folder = folder(target);
                var file = folder.child(target.name())) {
            FileRefusals.requireNoFolder(file.attributes(), path);
            folder.remove(target.name());
        } catch (IOException e) {
            throw FileRefusals.of(e, path);
        }
    }

    /** Where a link leads, as it says itself; empty if it is no link, or its text not UTF-8. */
    String linkTarget(String path) {
        var link = RelativePath.parse(path);
        try (var folder = folder(link)) {
            var target = Files.readSymbolicLink(folder.path().resolve(link.name())).toString();
            return target.indexOf('\uFFFD') >= 0 ? "" : target;
        } catch (NotLinkException _) {
            return "";
        } catch (IOException e) {
            throw FileRefusals.of(e, path);
        }
    }

    /** A link whose text was checked by the caller: nothing here ever follows it. */
    void link(String path, String to) {
        var link = RelativePath.parse(path);
        try (var folder = madeFolder(link)) {
            writer.link(folder, link, to);
        } catch (IOException e) {
            throw FileRefusals.of(e, path);
        }
    }

    void makeFolder(String path) {
        var inside = new ArrayList<>(RelativePath.parse(path).names());
        inside.add("any"); // its parents are the folder itself
        try {
            madeFolder(new RelativePath(inside)).close();
        } catch (IOException e) {
            throw FileRefusals.of(e, path);
        }
    }

    /** Whether everything was visited. */
    boolean walk(SkipRules rules, TreeWalk.Visitor visitor) {
        try (var pinned = root.open()) {
            return new TreeWalk(rules, visitor).through(pinned);
        } catch (NoSuchFileException _) {
            throw FileRefusals.noRoot();
        } catch (IOException e) {
            throw FileRefusals.of(e, ".");
        }
    }

    private static FileEntry entry(String path, PosixFileAttributes attributes) {
        var modified = MILLISECONDS.format(attributes.lastModifiedTime().toInstant());
        return new FileEntry(path, attributes.size(), modified);
    }

    private Pinned folder(RelativePath path) throws IOException {
        return descend(path, Pinned::child);
    }

    private Pinned madeFolder(RelativePath path) throws IOException {
        return descend(path, this::childOrNew);
    }

    private interface Step {
        Pinned from(Pinned folder, String name) throws IOException;
    }

    private Pinned descend(RelativePath path, Step step) throws IOException {
        var at = root.open();
        try {
            for (var name : path.parents()) {
                var next = step.from(at, name);
                at.close();
                at = next;
                FileRefusals.requireFolder(at.attributes(), name);
            }
            return at;
        } catch (IOException | RuntimeException e) {
            at.close();
            throw e;
        }
    }

    private Pinned childOrNew(Pinned folder, String name) throws IOException {
        try {
            return folder.child(name);
        } catch (NoSuchFileException _) {
            try {
                folder.makeFolder(name);
            } catch (FileAlreadyExistsException _) {
                return folder.child(name); // somebody was quicker
            }
            try (var made = folder.child(name)) {
                writer.handOver(made);
            }
            return folder.child(name);
        }
    }
}
