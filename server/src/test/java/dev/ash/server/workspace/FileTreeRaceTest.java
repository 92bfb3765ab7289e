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

/** Replaces files by links and FIFOs while the server accesses them, as a hostile agent could. */
@Timeout(60)
class FileTreeRaceTest {
    private static final long NANOS = 1_000_000_000L;

    @TempDir private Path temporary;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private Path root;
    private Path outside;
    private FileTree tree;
    private Thread agent = Thread.ofPlatform().unstarted(() -> {});

    @BeforeEach
    void createDirectories() throws IOException {
        root = Files.createDirectory(temporary.resolve("root"));
        outside = Files.createDirectory(temporary.resolve("outside"));
        Files.writeString(outside.resolve("file"), "outside");
        Files.createDirectory(root.resolve("real"));
        Files.writeString(root.resolve("real/file"), "inside");
        Files.createSymbolicLink(root.resolve("link"), outside);
        tree = new FileTree(root, OptionalInt.empty());
    }

    @AfterEach
    void stopAgent() throws InterruptedException {
        stopped.set(true);
        agent.join();
    }

    /** Moves each entry to {@code name} in turn, until the test ends. */
    private void alternate(String name, String first, String second) {
        agent =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        while (!stopped.get()) {
                                            moveAndBack(name, first);
                                            moveAndBack(name, second);
                                        }
                                    } catch (IOException e) {
                                        throw new UncheckedIOException(e);
                                    }
                                });
    }

    private void moveAndBack(String name, String entry) throws IOException {
        Files.move(root.resolve(entry), root.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        Files.move(root.resolve(name), root.resolve(entry), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void doesNotReadThroughLinkReplacingDirectory() {
        alternate("target", "real", "link");
        int read = 0;
        int rejected = 0;

        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            try {
                assertThat(new String(tree.read("target/file", 100), UTF_8)).isEqualTo("inside");
                read++;
            } catch (ApiException _) {
                rejected++;
            }
        }

        assertThat(read).isPositive();
        assertThat(rejected).isPositive();
    }

    @Test
    void doesNotWriteOrDeleteThroughLinkReplacingDirectory() {
        alternate("target", "real", "link");

        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            attempt(() -> tree.write("target/new", "x".getBytes(UTF_8), false));
            attempt(() -> tree.write("target/directory/new", "x".getBytes(UTF_8), true));
            attempt(() -> tree.delete("target/file"));
            attempt(() -> tree.createLink("target/l", "file"));
        }

        assertThat(outside.toFile().list()).containsExactly("file");
        assertThat(outside.resolve("file")).hasContent("outside");
    }

    @Test
    void doesNotListOrPackThroughLinkReplacingDirectory() throws IOException {
        Files.move(outside.resolve("file"), outside.resolve("secret"));
        alternate("target", "real", "link");

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
    void doesNotBlockOnFifoReplacingFileOrDirectory() throws Exception {
        var mkfifo = new ProcessBuilder("mkfifo", root.resolve("fifo").toString()).start();
        assertThat(mkfifo.waitFor(60, TimeUnit.SECONDS)).isTrue();
        Files.writeString(root.resolve("plain"), "inside");
        alternate("target", "plain", "fifo");

        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            attempt(() -> tree.read("target", 100));
            attempt(() -> tree.read("target/file", 100));
            attempt(() -> tree.write("target", "x".getBytes(UTF_8), false));
        }
        stopped.set(true);
        agent.join();
        stopped.set(false);
        alternate("target", "real", "fifo");
        for (long since = System.nanoTime(); System.nanoTime() - since < NANOS; ) {
            attempt(() -> tree.read("target/file", 100));
            attempt(() -> tree.list(SkipRules.NONE));
        }
    }

    /** Allows success and {@link ApiException}, but no other failure. */
    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (ApiException _) {
            // the agent replaced the entry
        }
    }
}
