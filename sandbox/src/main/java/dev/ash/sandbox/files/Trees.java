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

/** Whole folders that agents have written to. No process of theirs runs while these work. */
final class Trees {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    // Walking keeps a descriptor open per level, and agents can nest deeper than those last.
    private static final int USUAL_DEPTH = 64;

    private final Spawner spawner;

    Trees(Spawner spawner) {
        this.spawner = spawner;
    }

    /** Deletes what is there, links as links. */
    void delete(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Files.walkFileTree(
                    tree, EnumSet.noneOf(java.nio.file.FileVisitOption.class), USUAL_DEPTH, DELETE);
        } catch (IOException e) {
            deleteByForce(tree);
        }
    }

    /**
     * Too deep, or made unreadable: {@code rm} copes with the one, {@code chmod} with the other.
     */
    private void deleteByForce(Path tree) throws IOException {
        int code = spawner.run(Command.quiet("rm", "-rf", "--", tree.toString()), PATIENCE);
        if (code != 0) {
            spawner.run(Command.quiet("chmod", "-R", "u+rwX", "--", tree.toString()), PATIENCE);
            spawner.run(Command.quiet("rm", "-rf", "--", tree.toString()), PATIENCE);
        }
        if (Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("could not delete " + tree);
        }
    }

    /**
     * Copies all that is there: links as links, two names of one file as two names, holes as holes;
     * without its content being copied where the filesystem can do that. Sockets and devices are
     * left out.
     */
    void copy(Path from, Path to) throws IOException {
        var words = to.resolveSibling(to.getFileName() + ".words");
        try {
            var copy = List.of("cp", "-a", "--reflink=auto", "--", from.toString(), to.toString());
            run(copy, words);
            var tidy = List.of("find", to.toString(), "-type", "s,b,c", "-delete");
            run(tidy, words);
        } finally {
            Files.deleteIfExists(words);
        }
    }

    private void run(List<String> words, Path errors) throws IOException {
        var command = Command.quiet(words.toArray(String[]::new));
        int code = spawner.run(command.withErrors(Redirect.to(errors.toFile())), PATIENCE);
        if (code != 0) {
            throw new IOException(
                    LogFiles.tail(errors, 0)
                            .lines()
                            .findFirst()
                            .orElse(words.getFirst() + " ended with code " + code));
        }
    }

    /** Makes a user the owner of everything; {@code chown} because of the depth, again. */
    void giveAll(Path tree, Optional<HostUser> user) throws IOException {
        if (user.isPresent()) {
            var owner = user.get().uid() + ":" + user.get().gid();
            var command = Command.quiet("chown", "-R", "-h", "-P", owner, "--", tree.toString());
            if (spawner.run(command, PATIENCE) != 0) {
                throw new IOException("could not make user " + owner + " the owner of " + tree);
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
                        Path folder, @Nullable IOException failure) throws IOException {
                    if (failure != null) {
                        throw failure;
                    }
                    Files.delete(folder);
                    return FileVisitResult.CONTINUE;
                }
            };
}
