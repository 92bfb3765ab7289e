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
 * A tree as tar.gz, packed while it is sent. Symbolic links are kept as links where they stay in
 * the tree and left out where they do not; special files are left out.
 */
public final class Tarball {
    private final FileTree tree;
    private final SkipRules rules;

    private Tarball(FileTree tree, SkipRules rules) {
        this.tree = tree;
        this.rules = rules;
    }

    /** Looks at the sizes, so that a tree that is too large is refused before a byte is sent. */
    public static Tarball of(FileTree tree, SkipRules rules) {
        var budget = new Budget();
        boolean complete =
                tree.walk(
                        rules,
                        found -> {
                            var attributes = found.attributes();
                            budget.take(attributes.isRegularFile() ? attributes.size() : 0);
                            return true;
                        });
        if (!complete) {
            throw Budget.exceeded();
        }
        return new Tarball(tree, rules);
    }

    /** Unpacks a tar.gz over a tree once all of it was checked; tells how many files it had. */
    public static int unpack(Source bundle, FileTree into) {
        return new Unpacker(bundle).into(into);
    }

    /** A tar.gz that can be read more than once. */
    public interface Source {
        InputStream open() throws IOException;
    }

    /** Leaves the stream open. */
    public void writeTo(OutputStream out) throws IOException {
        var zipped = new GZIPOutputStream(out, 16 * 1024);
        var tar = new TarWriter(zipped);
        var budget = new Budget();
        tree.walk(
                rules,
                found -> {
                    add(tar, budget, found);
                    return true;
                });
        tar.end();
        zipped.finish();
        out.flush();
    }

    private static void add(TarWriter tar, Budget budget, TreeWalk.Found found) throws IOException {
        var attributes = found.attributes();
        var modified = attributes.lastModifiedTime().toInstant();
        if (attributes.isDirectory()) {
            budget.take(0);
            tar.folder(found.path(), modified);
        } else if (attributes.isRegularFile()) {
            addFile(tar, budget, found);
        } else if (attributes.isSymbolicLink()) {
            budget.take(0);
            var target = target(found);
            if (LinkTarget.staysInside(found.path(), target)) {
                tar.link(found.path(), target, modified);
            }
        }
    }

    /** By what is pinned now, which may not be what was seen. */
    private static void addFile(TarWriter tar, Budget budget, TreeWalk.Found found)
            throws IOException {
        try (var file = found.folder().child(found.name())) {
            var attributes = file.attributes();
            if (attributes.isRegularFile()) {
                budget.take(attributes.size());
                boolean executable =
                        attributes.permissions().contains(PosixFilePermission.OWNER_EXECUTE);
                var modified = attributes.lastModifiedTime().toInstant();
                try (var content = Files.newInputStream(file.path())) {
                    tar.file(found.path(), attributes.size(), executable, modified, content);
                }
            }
        } catch (AccessDeniedException _) {
            // A server that is not root cannot read everything that an agent can lock away.
        }
    }

    private static String target(TreeWalk.Found found) throws IOException {
        try {
            var target = Files.readSymbolicLink(found.entry()).toString();
            return target.indexOf('\uFFFD') >= 0 ? "" : target;
        } catch (NotLinkException _) {
            return "";
        }
    }
}
