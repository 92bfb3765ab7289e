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
 * Copies an agent's folder into a fresh workspace. Links stay links, and only those that stay
 * inside are taken: one that leads out would show something else in the sandbox than it did before.
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
                    "The folder %s of the agent is gone. Deploy the agent again."
                            .formatted(agentDir));
        }
        var from = agentDir.toRealPath();
        Files.walkFileTree(from, new AgentCopy(from, workspace, owner));
        Modes.set(workspace, Modes.OWNER_ONLY);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
            throws IOException {
        if (isGit(folder)) {
            return FileVisitResult.SKIP_SUBTREE;
        }
        var copy = target(folder);
        Files.createDirectory(copy);
        var permissions = EnumSet.copyOf(Modes.permissions(folder));
        permissions.add(PosixFilePermission.OWNER_READ);
        permissions.add(PosixFilePermission.OWNER_WRITE);
        permissions.add(PosixFilePermission.OWNER_EXECUTE);
        Files.setPosixFilePermissions(copy, permissions);
        Modes.give(copy, owner);
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
            Modes.give(copy, owner);
        } else if (attributes.isRegularFile()) {
            Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
            Modes.give(copy, owner);
            // After the change of owner, and without the bits that switch users.
            var permissions = EnumSet.copyOf(Modes.permissions(file));
            permissions.add(PosixFilePermission.OWNER_READ);
            permissions.add(PosixFilePermission.OWNER_WRITE);
            Files.setPosixFilePermissions(copy, permissions);
        } else {
            throw unusable(file, "is neither a file, a folder nor a link");
        }
        return FileVisitResult.CONTINUE;
    }

    /** New agents have none; one that was deployed by an earlier version may. */
    private boolean isGit(Path path) {
        return !path.equals(from) && GitNames.isGitDirectory(path.getFileName().toString());
    }

    private void requireInside(Path link) throws IOException {
        var target = Files.readSymbolicLink(link);
        var lexical = link.resolveSibling(target).normalize();
        if (target.isAbsolute() || !lexical.startsWith(from)) {
            throw unusable(
                    link, "is a link to %s, outside of the agent's folder".formatted(target));
        }
        if (Files.exists(link) && !link.toRealPath().startsWith(from)) {
            throw unusable(link, "is a link that leads outside of the agent's folder");
        }
    }

    private ApiException unusable(Path path, String why) {
        return new ApiException(
                ErrorCode.AGENT_UNUSABLE,
                "%s in the agent's folder %s. Put a copy in its place and deploy the agent again."
                        .formatted(from.relativize(path), why));
    }

    private Path target(Path path) {
        return to.resolve(from.relativize(path));
    }
}
