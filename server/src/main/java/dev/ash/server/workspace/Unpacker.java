package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/** Reads an archive twice: first to refuse all that is wrong with it, then to write it. */
final class Unpacker {
    /** Headers and padding come on top of what the budget counts. */
    private static final long MAX_UNPACKED_BYTES = Limits.MAX_DOWNLOAD_BYTES + 64L * 1024 * 1024;

    /** Of paths that are remembered: deep folders have many. */
    private static final long MAX_CHARS = 8 * 1024 * 1024;

    private final Tarball.Source bundle;
    private long chars;
    private final Budget budget = new Budget();
    private final Set<String> leaves = new HashSet<>();
    private final Set<String> folders = new HashSet<>();

    Unpacker(Tarball.Source bundle) {
        this.bundle = bundle;
    }

    int into(FileTree tree) {
        forEach((_, path, entry) -> check(path, entry));
        var count = new int[1];
        forEach(
                (tar, path, entry) -> {
                    switch (entry.kind()) {
                        case FOLDER -> tree.makeFolder(path);
                        case LINK -> tree.link(path, entry.target());
                        case FILE -> {
                            tree.write(path, tar.content(), entry.executable());
                            count[0]++;
                        }
                    }
                });
        return count[0];
    }

    private interface Action {
        void on(TarReader tar, String path, TarEntry entry);
    }

    private void forEach(Action action) {
        try (var unzipped = new GZIPInputStream(bundle.open(), 16 * 1024)) {
            var bounded = new BoundedInputStream(unzipped, MAX_UNPACKED_BYTES);
            var tar = new TarReader(bounded);
            for (var entry = tar.next(); entry != null; entry = tar.next()) {
                var path = path(entry);
                if (!path.isEmpty()) {
                    action.on(tar, path, entry);
                }
            }
        } catch (IOException e) {
            throw refused("it is damaged, or ends early");
        }
    }

    /** Without the {@code ./} that tar is fond of; empty for the root itself. */
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
        budget.take(entry.size());
        var names = parse(path).names();
        for (int i = 1; i < names.size(); i++) {
            remember(folders, String.join("/", names.subList(0, i)));
        }
        switch (entry.kind()) {
            case FOLDER -> remember(folders, path);
            case FILE -> {
                remember(leaves, path);
                if (entry.size() > Limits.MAX_FILE_BYTES) {
                    throw refused("\"" + path + "\" is larger than a file may be");
                }
            }
            case LINK -> {
                remember(leaves, path);
                if (!LinkTarget.staysInside(path, entry.target())) {
                    throw refused("\"" + path + "\" is a link that leads out of it");
                }
            }
        }
        requireNoConflict(path);
    }

    private void remember(Set<String> paths, String path) {
        chars += paths.add(path) ? path.length() : 0;
        if (chars > MAX_CHARS) {
            throw refused("its paths have more than %,d characters".formatted(MAX_CHARS));
        }
    }

    private void requireNoConflict(String path) {
        boolean inLeaf = false;
        for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
            inLeaf |= leaves.contains(path.substring(0, slash));
        }
        if (inLeaf || (leaves.contains(path) && folders.contains(path))) {
            throw refused("\"" + path + "\" lies in a file or link, or is a folder too");
        }
    }

    private static RelativePath parse(String path) {
        try {
            return RelativePath.parse(path);
        } catch (ApiException e) {
            throw refused("\"" + path + "\" in it is no path: " + e.message());
        }
    }

    private static ApiException refused(String why) {
        return ApiException.invalid("bundle", "must be a tar.gz of files and folders: " + why);
    }
}
