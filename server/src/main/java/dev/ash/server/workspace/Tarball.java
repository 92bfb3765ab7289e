package dev.ash.server.workspace;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NotLinkException;
import java.nio.file.attribute.PosixFilePermission;
import java.util.zip.GZIPOutputStream;

/**
 * Packs a tree as tar.gz while it is sent, and unpacks archives. Packing includes symbolic links
 * that stay inside the tree, and omits other links and special files.
 */
public final class Tarball {
    private final FileTree tree;
    private final SkipRules rules;

    private Tarball(FileTree tree, SkipRules rules) {
        this.tree = tree;
        this.rules = rules;
    }

    /** Checks the sizes, to reject a tree that is too large before sending the first byte. */
    public static Tarball of(FileTree tree, SkipRules rules) {
        var limit = new ArchiveSizeLimit();
        boolean complete =
                tree.walk(
                        rules,
                        entry -> {
                            var attributes = entry.attributes();
                            limit.add(attributes.isRegularFile() ? attributes.size() : 0);
                            return true;
                        });
        if (!complete) {
            throw ArchiveSizeLimit.exceeded();
        }
        return new Tarball(tree, rules);
    }

    /** Checks a whole tar.gz, then unpacks it into a tree; returns the number of files. */
    public static int unpack(Source bundle, FileTree tree) {
        return new Unpacker(bundle).unpackTo(tree);
    }

    /** A tar.gz that can be read more than once. */
    public interface Source {
        InputStream open() throws IOException;
    }

    /** Writes the archive; does not close the stream. */
    public void writeTo(OutputStream out) throws IOException {
        var zipped = new GZIPOutputStream(out, 16 * 1024);
        var tar = new TarWriter(zipped);
        var limit = new ArchiveSizeLimit();
        tree.walk(
                rules,
                entry -> {
                    add(tar, limit, entry);
                    return true;
                });
        tar.end();
        zipped.finish();
        out.flush();
    }

    private static void add(TarWriter tar, ArchiveSizeLimit limit, TreeWalk.Entry entry)
            throws IOException {
        var attributes = entry.attributes();
        var modified = attributes.lastModifiedTime().toInstant();
        if (attributes.isDirectory()) {
            limit.add(0);
            tar.directory(entry.path(), modified);
        } else if (attributes.isRegularFile()) {
            addFile(tar, limit, entry);
        } else if (attributes.isSymbolicLink()) {
            limit.add(0);
            var target = target(entry);
            if (LinkTarget.staysInside(entry.path(), target)) {
                tar.link(entry.path(), target, modified);
            }
        }
    }

    /** Adds the file with its current attributes, which may have changed since the visit. */
    private static void addFile(TarWriter tar, ArchiveSizeLimit limit, TreeWalk.Entry entry)
            throws IOException {
        try (var file = entry.directory().child(entry.name())) {
            var attributes = file.attributes();
            if (attributes.isRegularFile()) {
                limit.add(attributes.size());
                boolean executable =
                        attributes.permissions().contains(PosixFilePermission.OWNER_EXECUTE);
                var modified = attributes.lastModifiedTime().toInstant();
                try (var content = Files.newInputStream(file.path())) {
                    tar.file(entry.path(), attributes.size(), executable, modified, content);
                }
            }
        } catch (AccessDeniedException _) {
            // An agent can make files unreadable for a server that is not root.
        }
    }

    private static String target(TreeWalk.Entry entry) throws IOException {
        try {
            var target = Files.readSymbolicLink(entry.location()).toString();
            return target.indexOf('\uFFFD') >= 0 ? "" : target;
        } catch (NotLinkException _) {
            return "";
        }
    }
}
