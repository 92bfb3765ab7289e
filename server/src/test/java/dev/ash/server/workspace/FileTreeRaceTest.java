package dev.ash.server.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.ApiException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agent that exchanges things while the server works on them. */
@Timeout(60)
class FileTreeRaceTest {
    private static final long NANOS = 1_000_000_000L;

    @TempDir private Path temporary;
    private final AtomicBoolean over = new AtomicBoolean();
    private Path root;
    private Path outside;
    private FileTree tree;
    private Thread agent = Thread.ofPlatform().unstarted(() -> {});

    @BeforeEach
    void makeFolders() throws IOException {
        root = Files.createDirectory(temporary.resolve("root"));
        outside = Files.createDirectory(temporary.resolve("outside"));
        Files.writeString(outside.resolve("file"), "outside");
        Files.createDirectory(root.resolve("real"));
        Files.writeString(root.resolve("real/file"), "inside");
        Files.createSymbolicLink(root.resolve("link"), outside);
        tree = new FileTree(root, OptionalInt.empty());
    }

    @AfterEach
    void stopTheAgent() throws InterruptedException {
        over.set(true);
        agent.join();
    }

    /** {@code name} becomes the one, then the other, without end. */
    private void flip(String name, String one, String other) {
        agent =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        while (!over.get()) {
                                            swap(name, one);
                                            swap(name, other);
                                        }
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                });
    }

    private void swap(String name, String what) throws IOException {
        Files.move(root.resolve(what), root.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        Files.move(root.resolve(name), root.resolve(what), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void readsNothingThroughALinkInAFoldersPlace() {
        flip("it", "real", "link");
        int read = 0;
        int refused = 0;

        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            try {
                assertThat(new String(tree.read("it/file", 100), UTF_8)).isEqualTo("inside");
                read++;
            } catch (ApiException _) {
                refused++;
            }
        }

        assertThat(read).isPositive();
        assertThat(refused).isPositive();
    }

    @Test
    void writesAndDeletesNothingThroughALinkInAFoldersPlace() {
        flip("it", "real", "link");

        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            attempt(() -> tree.write("it/new", "x".getBytes(UTF_8), false));
            attempt(() -> tree.write("it/folder/new", "x".getBytes(UTF_8), true));
            attempt(() -> tree.delete("it/file"));
            attempt(() -> tree.link("it/l", "file"));
        }

        assertThat(outside.toFile().list()).containsExactly("file");
        assertThat(outside.resolve("file")).hasContent("outside");
    }

    @Test
    void listsAndPacksNothingThroughALinkInAFoldersPlace() throws IOException {
        Files.move(outside.resolve("file"), outside.resolve("secret"));
        flip("it", "real", "link");

        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            assertThat(tree.list(SkipRules.NONE).files())
                    .allSatisfy(file -> assertThat(file.path()).doesNotContain("secret"));
            var packed = new ByteArrayOutputStream();
            Tarball.of(tree, SkipRules.NONE).writeTo(packed);
            assertThat(TarballTest.names(packed.toByteArray()))
                    .noneMatch(n -> n.contains("secret"));
        }
    }

    @Test
    void neverWaitsForAFifoInAFilesOrFoldersPlace() throws Exception {
        var mkfifo = new ProcessBuilder("mkfifo", root.resolve("fifo").toString()).start();
        assertThat(mkfifo.waitFor(60, TimeUnit.SECONDS)).isTrue();
        Files.writeString(root.resolve("plain"), "inside");
        flip("it", "plain", "fifo");

        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            attempt(() -> tree.read("it", 100));
            attempt(() -> tree.read("it/file", 100));
            attempt(() -> tree.write("it", "x".getBytes(UTF_8), false));
        }
        over.set(true);
        agent.join();
        over.set(false);
        flip("it", "real", "fifo");
        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            attempt(() -> tree.read("it/file", 100));
            attempt(() -> tree.list(SkipRules.NONE));
        }
    }

    /** Refused or done, but never failed in a way nobody foresaw. */
    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (ApiException _) {
            // the agent was quicker
        }
    }
}
