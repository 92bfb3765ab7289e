package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/** Unpacks an archive in two passes: the first validates it, the second writes its files. */
final class Unpacker {
    /** Includes headers and padding, which {@link ArchiveSizeLimit} does not count. */
    private static final long MAX_UNPACKED_BYTES = Limits.MAX_DOWNLOAD_BYTES + 64L * 1024 * 1024;

    /** Bounds the memory for paths: a deep path has many parents. */
    private static final long MAX_PATH_CHARS = 8 * 1024 * 1024;

    private final Tarball.Source bundle;
    private long pathChars;
    private final ArchiveSizeLimit limit = new ArchiveSizeLimit();
    private final Set<String> leaves = new HashSet<>();
    private final Set<String> directories = new HashSet<>();

    Unpacker(Tarball.Source bundle) {
        this.bundle = bundle;
    }

    /** Returns the number of files. */
    int unpackTo(FileTree tree) {
        forEach((_, path, entry) -> check(path, entry));
        var count = new int[1];
        forEach(
                (tar, path, entry) -> {
                    switch (entry.kind()) {
                        case DIRECTORY -> tree.createDirectory(path);
                        case LINK -> tree.createLink(path, entry.target());
                        case FILE -> {
                            tree.write(path, tar.content(), entry.executable());
                            count[0]++;
                        }
                    }
                });
        return count[0];
    }

    private interface Action {
        void apply(TarReader tar, String path, TarEntry entry);
    }

    private void forEach(Action action) {
        try (var unzipped = new GZIPInputStream(bundle.open(), 16 * 1024)) {
            var bounded = new BoundedInputStream(unzipped, MAX_UNPACKED_BYTES);
            var tar = new TarReader(bounded);
            for (var entry = tar.next(); entry != null; entry = tar.next()) {
                var path = path(entry);
                if (!path.isEmpty()) {
                    action.apply(tar, path, entry);
                }
            }
        } catch (IOException e) {
            throw invalid("it is corrupt or truncated");
        }
    }

    /** Removes leading {@code ./}, which tar often writes; empty for the root itself. */
    private static String path(TarEntry entry) {
        var path = entry.name();
        while (path.startsWith("./")) {
            path = path.substring(2);
        }
        if (path.endsWith("/") && path.length() > 1) {
            path = path.substring(0, path.length() - 1);
        }
        return path.equals(".") ? "" : path;
    }

    private void check(String path, TarEntry entry) {
        limit.add(entry.size());
        var names = parse(path).names();
        for (int i = 1; i < names.size(); i++) {
            add(directories, String.join("/", names.subList(0, i)));
        }
        switch (entry.kind()) {
            case DIRECTORY -> add(directories, path);
            case FILE -> {
                add(leaves, path);
                if (entry.size() > Limits.MAX_FILE_BYTES) {
                    throw invalid("\"" + path + "\" is larger than the limit for a file");
                }
            }
            case LINK -> {
                add(leaves, path);
                if (!LinkTarget.staysInside(path, entry.target())) {
                    throw invalid("\"" + path + "\" is a link to a target outside the archive");
                }
            }
        }
        requireNoConflict(path);
    }

    private void add(Set<String> paths, String path) {
        pathChars += paths.add(path) ? path.length() : 0;
        if (pathChars > MAX_PATH_CHARS) {
            throw invalid("its paths have more than %,d characters".formatted(MAX_PATH_CHARS));
        }
    }

    private void requireNoConflict(String path) {
        boolean inLeaf = false;
        for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
            inLeaf |= leaves.contains(path.substring(0, slash));
        }
        if (inLeaf || (leaves.contains(path) && directories.contains(path))) {
            throw invalid(
                    "\"" + path + "\" is below a file or link, or is both a file and a directory");
        }
    }

    private static RelativePath parse(String path) {
        try {
            return RelativePath.parse(path);
        } catch (ApiException e) {
            throw invalid("\"" + path + "\" is not a valid path: " + e.message());
        }
    }

    private static ApiException invalid(String reason) {
        return ApiException.invalid(
                "bundle", "must be a tar.gz of files and directories: " + reason);
    }
}
