package dev.ash.sdk;

import dev.ash.protocol.GitNames;
import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.AgentApi.FileUpload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * Reads the files of an agent directory for upload. Skips installed packages, caches, version
 * control data, and {@code .env} files, whose values belong in the agent's {@code env}.
 */
final class AgentDirectory {
    private static final Set<String> EXCLUDED =
            Set.of(
                    "node_modules",
                    "__pycache__",
                    ".venv",
                    "venv",
                    ".DS_Store",
                    ".env",
                    ".env.local");

    private final Path root;
    private final List<FileUpload> files = new ArrayList<>();
    private final List<String> skippedGitPaths = new ArrayList<>();
    private long totalBytes;

    private AgentDirectory(Path root) {
        this.root = root;
    }

    /** Throws {@link IllegalArgumentException} if the directory is not an agent. */
    static AgentDirectory read(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new IllegalArgumentException("Agent directory does not exist: " + directory);
        }
        if (!Files.isRegularFile(directory.resolve("CLAUDE.md"))) {
            throw new IllegalArgumentException(
                    "The directory %s has no CLAUDE.md. An agent directory must contain a CLAUDE.md file with its instructions."
                            .formatted(directory));
        }
        try {
            var reader = new AgentDirectory(directory.toRealPath());
            reader.walk(reader.root, "");
            return reader;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read directory %s".formatted(directory), e);
        }
    }

    List<FileUpload> files() {
        return files;
    }

    /** Returns the skipped {@code .git} paths, which agents must not contain. */
    List<String> skippedGitPaths() {
        return skippedGitPaths;
    }

    private void walk(Path directory, String prefix) throws IOException {
        List<Path> children;
        try (var listing = Files.list(directory)) {
            children = listing.sorted().toList();
        }
        for (var child : children) {
            var name = child.getFileName().toString();
            if (EXCLUDED.contains(name)) {
                continue;
            }
            if (GitNames.isGitDirectory(name)) {
                skippedGitPaths.add(prefix + name);
                continue;
            }
            if (Files.isSymbolicLink(child)) {
                requireInside(child);
            }
            if (Files.isDirectory(child)) {
                requireNoLoop(child);
                walk(child, prefix + name + "/");
            } else if (Files.isRegularFile(child)) {
                add(child, prefix + name);
            } // skip sockets and pipes
        }
    }

    private void add(Path file, String path) throws IOException {
        long size = Files.size(file);
        totalBytes += size;
        if (size > Limits.MAX_FILE_BYTES) {
            throw new IllegalArgumentException(
                    "%s has %d bytes; the maximum size of an agent's file is %d bytes."
                            .formatted(path, size, Limits.MAX_FILE_BYTES));
        }
        if (totalBytes > Limits.MAX_UPLOAD_BODY_BYTES / 4 * 3L - 1024 * 1024) {
            throw new IllegalArgumentException(
                    "The directory %s has more than 100 MB of files, which is the upload limit. Remove files that the agent does not need."
                            .formatted(root));
        }
        var content = Base64.getEncoder().encodeToString(Files.readAllBytes(file));
        var executable = Files.isExecutable(file) ? Boolean.TRUE : null;
        files.add(new FileUpload(path, content, null, executable));
    }

    /** Rejects links out of the directory: they could upload any file of this machine. */
    private void requireInside(Path link) throws IOException {
        if (!Files.exists(link) || !link.toRealPath().startsWith(root)) {
            throw new IllegalArgumentException(
                    "%s is a broken link or points outside the agent's directory. Replace it with the file itself."
                            .formatted(link));
        }
    }

    private static void requireNoLoop(Path child) throws IOException {
        if (Files.isSymbolicLink(child) && child.startsWith(child.toRealPath())) {
            throw new IllegalArgumentException(
                    "%s is a link to one of its parent directories.".formatted(child));
        }
    }
}
