package dev.ash.sandbox.files;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.GitNames;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.OptionalInt;

/**
 * Copies an agent's directory into a new workspace. Copies links as links, and rejects those that
 * lead out of the directory: they would resolve to something else in the sandbox.
 */
final class AgentCopy extends SimpleFileVisitor<Path> {
    private final Path from;
    private final Path to;
    private final OptionalInt owner;

    private AgentCopy(Path from, Path to, OptionalInt owner) {
        this.from = from;
        this.to = to;
        this.owner = owner;
    }

    static void copy(Path agentDir, Path workspace, OptionalInt owner) throws IOException {
        if (!Files.isDirectory(agentDir)) {
            throw new ApiException(
                    ErrorCode.AGENT_UNUSABLE,
                    "The agent's directory %s does not exist. Deploy the agent again."
                            .formatted(agentDir));
        }
        var from = agentDir.toRealPath();
        Files.walkFileTree(from, new AgentCopy(from, workspace, owner));
        FileModes.set(workspace, FileModes.OWNER_ONLY);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
            throws IOException {
        if (isGit(directory)) {
            return FileVisitResult.SKIP_SUBTREE;
        }
        var copy = target(directory);
        Files.createDirectory(copy);
        var permissions = EnumSet.copyOf(FileModes.permissions(directory));
        permissions.add(PosixFilePermission.OWNER_READ);
        permissions.add(PosixFilePermission.OWNER_WRITE);
        permissions.add(PosixFilePermission.OWNER_EXECUTE);
        Files.setPosixFilePermissions(copy, permissions);
        FileModes.changeOwner(copy, owner);
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (isGit(file)) {
            return FileVisitResult.CONTINUE;
        }
        var copy = target(file);
        if (attributes.isSymbolicLink()) {
            requireInside(file);
            Files.copy(file, copy, LinkOption.NOFOLLOW_LINKS);
            FileModes.changeOwner(copy, owner);
        } else if (attributes.isRegularFile()) {
            Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
            FileModes.changeOwner(copy, owner);
            // After the change of owner, and without the setuid and setgid bits.
            var permissions = EnumSet.copyOf(FileModes.permissions(file));
            permissions.add(PosixFilePermission.OWNER_READ);
            permissions.add(PosixFilePermission.OWNER_WRITE);
            Files.setPosixFilePermissions(copy, permissions);
        } else {
            throw unusable(file, "is not a file, directory or link");
        }
        return FileVisitResult.CONTINUE;
    }

    /**
     * Matches {@code .git}, which only agents that were deployed by an earlier version can contain.
     */
    private boolean isGit(Path path) {
        return !path.equals(from) && GitNames.isGitDirectory(path.getFileName().toString());
    }

    private void requireInside(Path link) throws IOException {
        var target = Files.readSymbolicLink(link);
        var lexical = link.resolveSibling(target).normalize();
        if (target.isAbsolute() || !lexical.startsWith(from)) {
            throw unusable(
                    link, "is a link to %s, outside the agent's directory".formatted(target));
        }
        if (Files.exists(link) && !link.toRealPath().startsWith(from)) {
            throw unusable(link, "is a link that leads outside the agent's directory");
        }
    }

    private ApiException unusable(Path path, String problem) {
        return new ApiException(
                ErrorCode.AGENT_UNUSABLE,
                "%s in the agent's directory %s. Replace it with a copy of its content and deploy the agent again."
                        .formatted(from.relativize(path), problem));
    }

    private Path target(Path path) {
        return to.resolve(from.relativize(path));
    }
}
