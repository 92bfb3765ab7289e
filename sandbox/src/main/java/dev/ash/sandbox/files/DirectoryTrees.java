package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Command;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Deletes, copies and re-owns directory trees that agents have written to, while no process of the
 * agent runs.
 */
final class DirectoryTrees {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    // Walking keeps a descriptor open per level, and agents can nest directories deeper than the
    // limit.
    private static final int MAX_WALK_DEPTH = 64;

    private final Spawner spawner;

    DirectoryTrees(Spawner spawner) {
        this.spawner = spawner;
    }

    /** Deletes a tree without following links. */
    void delete(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Files.walkFileTree(
                    tree,
                    EnumSet.noneOf(java.nio.file.FileVisitOption.class),
                    MAX_WALK_DEPTH,
                    DELETE);
        } catch (IOException e) {
            forceDelete(tree);
        }
    }

    /** Deletes a tree that is too deep, with {@code rm}, or unreadable, after {@code chmod}. */
    private void forceDelete(Path tree) throws IOException {
        int code = spawner.run(Command.quiet("rm", "-rf", "--", tree.toString()), TIMEOUT);
        if (code != 0) {
            spawner.run(Command.quiet("chmod", "-R", "u+rwX", "--", tree.toString()), TIMEOUT);
            spawner.run(Command.quiet("rm", "-rf", "--", tree.toString()), TIMEOUT);
        }
        if (Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("cannot delete " + tree);
        }
    }

    /**
     * Copies a tree: preserves links, hard links and holes, shares blocks if the file system
     * supports it, and omits sockets and devices.
     */
    void copy(Path from, Path to) throws IOException {
        var errors = to.resolveSibling(to.getFileName() + ".words");
        try {
            var copy = List.of("cp", "-a", "--reflink=auto", "--", from.toString(), to.toString());
            run(copy, errors);
            var removeSpecial = List.of("find", to.toString(), "-type", "s,b,c", "-delete");
            run(removeSpecial, errors);
        } finally {
            Files.deleteIfExists(errors);
        }
    }

    private void run(List<String> arguments, Path errors) throws IOException {
        var command = Command.quiet(arguments.toArray(String[]::new));
        int code = spawner.run(command.withStderr(Redirect.to(errors.toFile())), TIMEOUT);
        if (code != 0) {
            throw new IOException(
                    OutputFiles.tail(errors, 0)
                            .lines()
                            .findFirst()
                            .orElse(arguments.getFirst() + " exited with code " + code));
        }
    }

    /** Changes the owner of a tree, with {@code chown}, which handles any depth. */
    void changeOwner(Path tree, Optional<HostUser> user) throws IOException {
        if (user.isPresent()) {
            var owner = user.get().uid() + ":" + user.get().gid();
            var command = Command.quiet("chown", "-R", "-h", "-P", owner, "--", tree.toString());
            if (spawner.run(command, TIMEOUT) != 0) {
                throw new IOException("cannot change the owner of " + tree + " to " + owner);
            }
        }
    }

    private static final SimpleFileVisitor<Path> DELETE =
            new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                        throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(
                        Path directory, @Nullable IOException failure) throws IOException {
                    if (failure != null) {
                        throw failure;
                    }
                    Files.delete(directory);
                    return FileVisitResult.CONTINUE;
                }
            };
}
