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
 * The files of an agent's folder, ready to be uploaded. Left out is what can be fetched again or is
 * nobody else's business: installed packages, caches, version control, and {@code .env} files,
 * whose values belong into the agent's {@code env}.
 */
final class AgentFolder {
    private static final Set<String> LEFT_OUT =
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
    private final List<String> git = new ArrayList<>();
    private long totalBytes;

    private AgentFolder(Path root) {
        this.root = root;
    }

    /** Fails with {@link IllegalArgumentException} and a sentence where the folder is no agent. */
    static AgentFolder read(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException("There is no folder " + folder + ".");
        }
        if (!Files.isRegularFile(folder.resolve("CLAUDE.md"))) {
            throw new IllegalArgumentException(
                    "The folder %s has no CLAUDE.md. An agent is a folder with a file of that name, which tells it what to do."
                            .formatted(folder));
        }
        try {
            var reader = new AgentFolder(folder.toRealPath());
            reader.walk(reader.root, "");
            return reader;
        } catch (IOException e) {
            throw new UncheckedIOException("The folder %s cannot be read".formatted(folder), e);
        }
    }

    List<FileUpload> files() {
        return files;
    }

    /** Paths of git's folders, which no agent can have. */
    List<String> git() {
        return git;
    }

    private void walk(Path folder, String prefix) throws IOException {
        List<Path> children;
        try (var listing = Files.list(folder)) {
            children = listing.sorted().toList();
        }
        for (var child : children) {
            var name = child.getFileName().toString();
            if (LEFT_OUT.contains(name)) {
                continue;
            }
            if (GitNames.isGitDirectory(name)) {
                git.add(prefix + name);
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
            } // sockets and pipes are not files of an agent
        }
    }

    private void add(Path file, String path) throws IOException {
        long size = Files.size(file);
        totalBytes += size;
        if (size > Limits.MAX_FILE_BYTES) {
            throw new IllegalArgumentException(
                    "%s has %d bytes; a file of an agent may have at most %d."
                            .formatted(path, size, Limits.MAX_FILE_BYTES));
        }
        if (totalBytes > Limits.MAX_UPLOAD_BODY_BYTES / 4 * 3L - 1024 * 1024) {
            throw new IllegalArgumentException(
                    "The folder %s has more than 100 MB of files, too much to upload. Move what the agent does not need out of it."
                            .formatted(root));
        }
        var content = Base64.getEncoder().encodeToString(Files.readAllBytes(file));
        var executable = Files.isExecutable(file) ? Boolean.TRUE : null;
        files.add(new FileUpload(path, content, null, executable));
    }

    /** A link out of the folder could carry any file of this machine to the server. */
    private void requireInside(Path link) throws IOException {
        if (!Files.exists(link) || !link.toRealPath().startsWith(root)) {
            throw new IllegalArgumentException(
                    "%s is a link that leads nowhere or out of the agent's folder. Put the file itself there."
                            .formatted(link));
        }
    }

    private static void requireNoLoop(Path child) throws IOException {
        if (Files.isSymbolicLink(child) && child.startsWith(child.toRealPath())) {
            throw new IllegalArgumentException(
                    "%s is a link to a folder that it lies in.".formatted(child));
        }
    }
}
