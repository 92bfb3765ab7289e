package dev.ash.server.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.FileEntry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class FileTreeTest {
    @TempDir private Path temporary;
    private Path root;
    private Path outside;
    private FileTree tree;

    @BeforeEach
    void createDirectories() throws IOException {
        root = Files.createDirectory(temporary.resolve("root"));
        outside = Files.createDirectory(temporary.resolve("outside"));
        Files.writeString(outside.resolve("secret"), "secret");
        tree = new FileTree(root, OptionalInt.empty());
    }

    @Test
    void writesAndReadsFiles() {
        write("a/b/c.txt", "one");
        write("a/b/c.txt", "two");
        tree.write("run.sh", "#!".getBytes(UTF_8), true);
        write("run.sh", "#!/bin/sh");

        assertThat(read("a/b/c.txt")).isEqualTo("two");
        assertThat(root.resolve("run.sh")).hasContent("#!/bin/sh").isExecutable();
        assertThat(root.resolve("a/b/c.txt")).satisfies(f -> assertThat(f.toFile()).hasSize(3));
        assertThat(root.resolve("a/b")).isDirectoryContaining(f -> f.endsWith("c.txt"));
        assertThat(root.resolve("a/b").toFile().list()).containsExactly("c.txt");
    }

    @Test
    void acceptsUnicodeAndSpecialCharactersInNames() {
        for (var name :
                new String[] {
                    "é.txt", "日本語/ファイル", "🎉", "a b", "back\\slash", "%41", "?", "-x", "a\nb", "…"
                }) {
            write(name, name);
            assertThat(read(name)).isEqualTo(name);
            assertThat(tree.list(SkipRules.NONE).files())
                    .extracting(FileEntry::path)
                    .contains(name);
            tree.delete(name);
        }
        assertThat(tree.list(SkipRules.NONE).files()).isEmpty();
    }

    @Test
    void limitsLengthOfNamesAndDepthOfPaths() {
        write("n".repeat(255), "x");
        write("d/".repeat(63) + "f", "deep");

        assertThat(read("d/".repeat(63) + "f")).isEqualTo("deep");
        assertThat(errorMessage(() -> write("n".repeat(256), "x"))).contains("at most 255 bytes");
        assertThat(errorMessage(() -> write("é".repeat(128), "x"))).contains("at most 255 bytes");
        assertThat(errorMessage(() -> write("d/".repeat(64) + "f", "x")))
                .contains("64 levels deep");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/etc/passwd",
                "..",
                "../x",
                "a/../../x",
                "a/..",
                "./a",
                ".",
                "a//b",
                "a/",
                "a\0b",
                "//",
                "\uD800"
            })
    void rejectsPathsOutsideTree(String path) {
        assertThat(errorMessage(() -> tree.read(path, 10))).startsWith("path: must");
        assertThat(errorMessage(() -> write(path, "x"))).startsWith("path: must");
        assertThat(errorMessage(() -> tree.delete(path))).startsWith("path: must");
    }

    @Test
    void treatsBackslashAsOrdinaryCharacter() {
        write("..\\..\\x", "harmless");

        assertThat(temporary).isDirectoryNotContaining(f -> f.endsWith("x"));
        assertThat(read("..\\..\\x")).isEqualTo("harmless");
    }

    @Test
    void reportsMissingFiles() {
        write("file", "x");

        for (var path : new String[] {"nope", "no/pe", "file2"}) {
            assertThat(error(() -> tree.read(path, 10)).code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
            assertThat(error(() -> tree.delete(path)).code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
        }
        assertThat(errorMessage(() -> tree.read("nope", 10))).isEqualTo("File \"nope\" not found");
        assertThat(errorMessage(() -> tree.read("file/x", 10)))
                .isEqualTo("path: \"file\" is a file; the path needs a directory here");
        var gone = new FileTree(temporary.resolve("gone"), OptionalInt.empty());
        assertThat(error(() -> gone.list(SkipRules.NONE)).code())
                .isEqualTo(ErrorCode.FILE_NOT_FOUND);
    }

    @Test
    void rejectsLinks() throws IOException {
        Files.createSymbolicLink(root.resolve("file"), outside.resolve("secret"));
        Files.createSymbolicLink(root.resolve("directory"), outside);
        Files.createSymbolicLink(root.resolve("self"), Path.of("self"));
        Files.createSymbolicLink(root.resolve("root"), Path.of("/"));
        Files.createSymbolicLink(root.resolve("inside"), root);

        for (var path :
                new String[] {"file", "directory/secret", "self", "root/etc/passwd", "inside/x"}) {
            assertThat(errorMessage(() -> tree.read(path, 100)))
                    .contains("is a symbolic link, which is never followed");
            assertThat(errorMessage(() -> write(path, "x"))).contains("never followed");
        }
        assertThat(errorMessage(() -> write("directory/new/file", "x"))).contains("never followed");
        assertThat(errorMessage(() -> tree.delete("directory/secret"))).contains("never followed");
        assertThat(tree.list(SkipRules.NONE).files()).isEmpty();
        assertThat(outside.toFile().list()).containsExactly("secret");

        tree.delete("file");
        tree.delete("directory");
        assertThat(outside.resolve("secret")).hasContent("secret");
        assertThat(root.toFile().list()).containsExactlyInAnyOrder("self", "root", "inside");
    }

    @Test
    void rejectsDirectoriesAndSpecialFilesWithoutBlocking() throws Exception {
        Files.createDirectory(root.resolve("directory"));
        run("mkfifo", root.resolve("fifo").toString());

        assertThat(errorMessage(() -> tree.read("directory", 10))).contains("is a directory");
        assertThat(errorMessage(() -> write("directory", "x"))).contains("is a directory");
        assertThat(errorMessage(() -> tree.delete("directory")))
                .contains("only files can be deleted");
        assertThat(errorMessage(() -> tree.read("fifo", 10))).contains("is a special file");
        assertThat(errorMessage(() -> write("fifo", "x"))).contains("is a special file");
        assertThat(errorMessage(() -> tree.read("fifo/x", 10))).contains("is a special file");
        assertThat(errorMessage(() -> write("fifo/x", "x"))).contains("is a special file");
        assertThat(tree.list(SkipRules.NONE).files()).isEmpty();
        tree.delete("fifo");
        assertThat(root.resolve("fifo")).doesNotExist();
    }

    @Test
    void rejectsFilesAboveSizeLimit() throws IOException {
        write("big", "12345");

        assertThat(errorMessage(() -> tree.read("big", 4)))
                .isEqualTo("path: \"big\" is 5 bytes large; the limit is 4 bytes");
        try (var file = tree.open("big", 5)) {
            Files.writeString(root.resolve("big"), "1234567890");
            assertThat(file.size()).isEqualTo(5);
            assertThat(file.content().readAllBytes()).hasSize(5);
        }
    }

    @Test
    void listsRegularFilesSortedByPath() throws IOException {
        write("b", "12");
        write("a/z", "1");
        write("a.txt", "");
        Files.setLastModifiedTime(root.resolve("b"), FileTime.from(Instant.ofEpochSecond(0)));
        Files.createDirectory(root.resolve("empty"));

        var listing = tree.list(SkipRules.NONE);

        assertThat(listing.truncated()).isFalse();
        assertThat(listing.files())
                .extracting(FileEntry::path)
                .containsExactly("a.txt", "a/z", "b");
        assertThat(listing.files().getLast())
                .isEqualTo(new FileEntry("b", 2, "1970-01-01T00:00:00.000Z"));
    }

    @Test
    void appliesSkipRules() {
        for (var path :
                new String[] {
                    "node_modules/x",
                    ".git/config",
                    "a/__pycache__/x",
                    ".DS_Store",
                    "a.sock",
                    "b.lock",
                    "c.pid",
                    ".cache/x",
                    ".venv/x",
                    "venv/x",
                    "tmp/x",
                    ".env",
                    ".env.local",
                    "src/main",
                    ".hidden",
                    "ok/tmp.txt",
                    ".ash-0.part"
                }) {
            write(path, "x");
        }

        assertThat(paths(SkipRules.WORKSPACE))
                .containsExactly(
                        ".cache/x",
                        ".env",
                        ".env.local",
                        ".hidden",
                        ".venv/x",
                        "ok/tmp.txt",
                        "src/main",
                        "tmp/x",
                        "venv/x");
        assertThat(paths(SkipRules.WITHOUT_CACHES))
                .containsExactly(".env", ".env.local", ".hidden", "ok/tmp.txt", "src/main");
        assertThat(paths(SkipRules.ARCHIVE))
                .containsExactly(".hidden", "b.lock", "ok/tmp.txt", "src/main");
    }

    private Iterable<String> paths(SkipRules rules) {
        return tree.list(rules).files().stream().map(FileEntry::path).toList();
    }

    @Test
    void marksTruncatedListings() throws IOException {
        Files.createDirectories(root.resolve("d/".repeat(80)));
        assertThat(tree.list(SkipRules.NONE).truncated()).isTrue();

        var many = Files.createDirectory(temporary.resolve("many"));
        for (int i = 0; i < 10_050; i++) {
            Files.createFile(many.resolve("f" + i));
        }
        var listing = new FileTree(many, OptionalInt.empty()).list(SkipRules.NONE);
        assertThat(listing.truncated()).isTrue();
        assertThat(listing.files()).hasSize(10_000);
    }

    @Test
    void changesOwnerOfWrittenFiles() throws IOException {
        assumeTrue(
                System.getProperty("user.name").equals("root"),
                "only root can change the owner of files");
        var owned = new FileTree(root, OptionalInt.of(61_234));

        owned.write("new/deep/file", "x".getBytes(UTF_8), false);

        for (var path : new String[] {"new", "new/deep", "new/deep/file"}) {
            assertThat(Files.getAttribute(root.resolve(path), "unix:uid")).isEqualTo(61_234);
            assertThat(Files.getAttribute(root.resolve(path), "unix:gid")).isEqualTo(61_234);
        }
        assertThat(Files.getPosixFilePermissions(root.resolve("new/deep/file")))
                .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
    }

    @Test
    void keepsOldFileIfNewContentFails() {
        write("file", "old");
        var broken =
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("the sender disconnected");
                    }
                };

        assertThat(
                        catchThrowableOfType(
                                UncheckedIOException.class,
                                () -> tree.write("file", broken, false)))
                .hasMessageContaining("the sender disconnected");
        assertThat(read("file")).isEqualTo("old");
        assertThat(root.toFile().list()).containsExactly("file");
    }

    @Test
    void closesAllDescriptors() throws IOException {
        write("a/b/c", "x");
        long before = descriptors();

        for (int i = 0; i < 50; i++) {
            read("a/b/c");
            write("a/b/c" + i % 3, "y");
            tree.list(SkipRules.NONE);
            errorMessage(() -> tree.read("a/b/nope", 1));
            errorMessage(() -> tree.read("a/b", 1));
            errorMessage(() -> tree.read("a/b/c/d", 1));
        }

        assertThat(descriptors()).isLessThan(before + 10);
    }

    private static long descriptors() throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private void write(String path, String content) {
        tree.write(path, content.getBytes(UTF_8), false);
    }

    private String read(String path) {
        return new String(tree.read(path, 1000), UTF_8);
    }

    private static String errorMessage(ThrowingCallable call) {
        return error(call).message();
    }

    private static ApiException error(ThrowingCallable call) {
        return catchThrowableOfType(ApiException.class, call);
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).start().waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
}
