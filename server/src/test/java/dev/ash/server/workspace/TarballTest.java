package dev.ash.server.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.FileEntry;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TarballTest {
    private static final String LONG = "long-name/".repeat(12) + "é".repeat(100) + ".txt";

    @TempDir private Path temporary;
    private Path root;
    private FileTree tree;

    @BeforeEach
    void createDirectories() throws IOException {
        root = Files.createDirectory(temporary.resolve("root"));
        tree = new FileTree(root, OptionalInt.empty());
    }

    @Test
    void unpacksPackedTreeUnchanged() throws IOException {
        write("a.txt", "hello");
        write("empty", "");
        write("日本/🎉.md", "x".repeat(1000));
        write(LONG, "deep");
        tree.write("run.sh", "#!".getBytes(UTF_8), true);
        Files.createDirectory(root.resolve("nothing"));
        tree.createLink("link", "a.txt");

        var copy = unpackCopy(pack());

        assertThat(copy.list(SkipRules.NONE).files())
                .extracting(FileEntry::path)
                .containsExactlyInAnyOrder("a.txt", "empty", "日本/🎉.md", LONG, "run.sh");
        assertThat(new String(copy.read(LONG, 100), UTF_8)).isEqualTo("deep");
        assertThat(copy.read("日本/🎉.md", 1000)).hasSize(1000);
        assertThat(temporary.resolve("copy/run.sh")).isExecutable();
        assertThat(temporary.resolve("copy/nothing")).isDirectory();
        assertThat(Files.readSymbolicLink(temporary.resolve("copy/link"))).hasToString("a.txt");
    }

    @Test
    void writesArchivesReadableByTar() throws Exception {
        write("a.txt", "hello");
        write(LONG, "deep");
        tree.write("run.sh", "#!".getBytes(UTF_8), true);
        tree.createLink("dir/link", "../a.txt");
        var file = Files.write(temporary.resolve("x.tar.gz"), pack());
        var into = Files.createDirectory(temporary.resolve("into"));

        run("tar", "-xzf", file.toString(), "-C", into.toString());
        run("diff", "-r", root.toString(), into.toString());

        assertThat(into.resolve("run.sh")).isExecutable();
        assertThat(into.resolve("dir/link")).isSymbolicLink().hasContent("hello");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gnu", "pax", "ustar", "v7"})
    void readsArchivesWrittenByTar(String format) throws Exception {
        var from = Files.createDirectory(temporary.resolve("from"));
        var source = new FileTree(from, OptionalInt.empty());
        source.write("a.txt", "hello".getBytes(UTF_8), false);
        source.write("d/" + "n".repeat(90) + "/run.sh", "#!".getBytes(UTF_8), true);
        source.createLink("link", "a.txt");
        boolean isOldFormat = format.equals("v7") || format.equals("ustar");
        var name = isOldFormat ? "plain" : "é".repeat(120);
        source.write(name, "x".getBytes(UTF_8), false);
        var file = temporary.resolve("x.tar.gz");
        var command = "tar --format=%s -czf %s -C %s .".formatted(format, file, from);
        if (format.equals("v7")) {
            source.delete("d/" + "n".repeat(90) + "/run.sh");
            Files.delete(from.resolve("d/" + "n".repeat(90)));
            source.write("d/run.sh", "#!".getBytes(UTF_8), true);
        }
        run("sh", "-c", command);

        unpackCopy(Files.readAllBytes(file));

        run("diff", "-r", from.toString(), temporary.resolve("copy").toString());
        assertThat(Files.isSymbolicLink(temporary.resolve("copy/link"))).isTrue();
    }

    @Test
    void omitsSecretsCachesOutsideLinksAndSpecialFiles() throws Exception {
        write("keep", "x");
        write(".env", "KEY=1");
        write(".env.local", "KEY=1");
        write("node_modules/x/index.js", "x");
        write(".git/config", "x");
        Files.createSymbolicLink(root.resolve("out"), Path.of("/etc/passwd"));
        Files.createSymbolicLink(root.resolve("up"), Path.of("../../x"));
        Files.createSymbolicLink(root.resolve("in"), Path.of("keep"));
        run("mkfifo", root.resolve("fifo").toString());

        assertThat(names(pack())).containsExactlyInAnyOrder("keep", "in");
    }

    @Test
    void rejectsTreesAboveSizeLimit() throws IOException {
        try (var file = new RandomAccessFile(root.resolve("big").toFile(), "rw")) {
            file.setLength(101L * 1024 * 1024);
        }

        assertThat(catchThrowableOfType(ApiException.class, () -> Tarball.of(tree, SkipRules.NONE)))
                .hasMessage(
                        "An archive is limited to 100 MiB, 20000 files and directories, and a depth of 64")
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/etc/x", "../x", "a/../../x", "a/./b", "a//b", "..", "a\0/../x", "./../x"})
    void rejectsNamesOutsideTreeWithoutWriting(String name) throws IOException {
        var bundle =
                archive(
                        tar -> {
                            file(tar, "first", "x");
                            file(tar, name, "x");
                        });

        if (name.indexOf('\0') < 0) {
            assertThat(errorMessage(bundle))
                    .startsWith("bundle: must be a tar.gz of files and directories");
            assertThat(root).isEmptyDirectory();
        }
        assertThat(temporary.toFile().list()).containsExactly("root");
    }

    @Test
    void rejectsOutsideLinksAndWritesThroughLinks() throws IOException {
        for (var target : new String[] {"/etc", "..", "a/../..", "x/../y", "../../x"}) {
            assertThat(
                            errorMessage(
                                    archive(
                                            tar ->
                                                    tar.link(
                                                            "d/../l".substring(5),
                                                            target,
                                                            Instant.EPOCH))))
                    .contains("is a link to a target outside");
        }
        assertThat(
                        errorMessage(
                                archive(
                                        tar -> {
                                            tar.link("l", "d", Instant.EPOCH);
                                            file(tar, "l/x", "x");
                                        })))
                .contains("is below a file or link");
        assertThat(
                        errorMessage(
                                archive(
                                        tar -> {
                                            file(tar, "a/b", "x");
                                            file(tar, "a", "x");
                                        })))
                .contains("is both a file and a directory");
        assertThat(root).isEmptyDirectory();

        Files.createSymbolicLink(root.resolve("planted"), temporary);
        assertThat(errorMessage(archive(tar -> file(tar, "planted/x", "x"))))
                .contains("never followed");
        assertThat(temporary.toFile().list()).containsExactly("root");
    }

    @Test
    void rejectsDevicesHardLinksAndSparseFiles() throws Exception {
        var from = Files.createDirectory(temporary.resolve("from"));
        run("mkfifo", from.resolve("fifo").toString());
        assertThat(errorMessage(tarOf(from))).contains("is a device or FIFO");
        Files.delete(from.resolve("fifo"));

        Files.writeString(from.resolve("a"), "x");
        Files.createLink(from.resolve("b"), from.resolve("a"));
        assertThat(errorMessage(tarOf(from))).contains("is a hard link, which is not supported");
        Files.delete(from.resolve("b"));

        run("truncate", "-s", "1M", from.resolve("holes").toString());
        assertThat(errorMessage(tarOf(from, "--sparse", "--format=pax"))).contains("sparse files");
        assertThat(errorMessage(tarOf(from, "--sparse", "--format=gnu"))).contains("unknown type");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void rejectsDecompressionBombs() throws IOException {
        var zeros = InputStream.nullInputStream(); // the writer pads missing content
        assertThat(
                        errorMessage(
                                archive(
                                        tar ->
                                                tar.file(
                                                        "big",
                                                        51L << 20,
                                                        false,
                                                        Instant.EPOCH,
                                                        zeros))))
                .contains("larger than the limit for a file");
        assertThat(
                        errorMessage(
                                archive(
                                        tar -> {
                                            for (int i = 0; i < 3; i++) {
                                                tar.file(
                                                        "f" + i,
                                                        40L << 20,
                                                        false,
                                                        Instant.EPOCH,
                                                        zeros);
                                            }
                                        })))
                .contains("limited to 100 MiB");
        assertThat(
                        errorMessage(
                                archive(
                                        tar -> {
                                            for (int i = 0; i < 20_001; i++) {
                                                file(tar, "f" + i, "");
                                            }
                                        })))
                .contains("20000 files");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void rejectsInvalidArchives() throws IOException {
        var good = archive(tar -> file(tar, "a", "x".repeat(5000)));
        var cut = Arrays.copyOf(good, good.length - 20);
        var damaged = gzip("x".repeat(600).getBytes(UTF_8));

        for (var bundle : List.of(new byte[0], "hello".getBytes(UTF_8), cut, damaged)) {
            assertThat(errorMessage(bundle)).startsWith("bundle: must be a tar.gz");
        }
        assertThat(root).isEmptyDirectory();
        assertThat(unpack(archive(_ -> {}), tree)).isZero();
    }

    @Test
    void rejectsTruncatedContent() throws IOException {
        var plain =
                new GZIPInputStream(
                                new ByteArrayInputStream(
                                        archive(tar -> file(tar, "a", "x".repeat(5000)))))
                        .readAllBytes();

        assertThat(errorMessage(gzip(Arrays.copyOf(plain, 2048)))).contains("truncated");
    }

    private interface Content {
        void writeTo(TarWriter tar) throws IOException;
    }

    private static byte[] archive(Content content) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zipped = new GZIPOutputStream(bytes)) {
            var tar = new TarWriter(zipped);
            content.writeTo(tar);
            tar.end();
        }
        return bytes.toByteArray();
    }

    private static void file(TarWriter tar, String name, String content) throws IOException {
        var bytes = content.getBytes(UTF_8);
        tar.file(name, bytes.length, false, Instant.EPOCH, new ByteArrayInputStream(bytes));
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zipped = new GZIPOutputStream(bytes)) {
            zipped.write(plain);
        }
        return bytes.toByteArray();
    }

    private byte[] tarOf(Path from, String... options) throws Exception {
        var file = temporary.resolve("x.tar.gz");
        var command = new ArrayList<>(List.of("tar"));
        command.addAll(List.of(options));
        command.addAll(List.of("-czf", file.toString(), "-C", from.toString(), "."));
        run(command.toArray(String[]::new));
        return Files.readAllBytes(file);
    }

    private byte[] pack() throws IOException {
        var out = new ByteArrayOutputStream();
        Tarball.of(tree, SkipRules.ARCHIVE).writeTo(out);
        return out.toByteArray();
    }

    private FileTree unpackCopy(byte[] bundle) throws IOException {
        var copy =
                new FileTree(Files.createDirectory(temporary.resolve("copy")), OptionalInt.empty());
        unpack(bundle, copy);
        return copy;
    }

    static List<String> names(byte[] bundle) throws IOException {
        var names = new ArrayList<String>();
        var tar = new TarReader(new GZIPInputStream(new ByteArrayInputStream(bundle)));
        for (var entry = tar.next(); entry != null; entry = tar.next()) {
            names.add(entry.name());
        }
        return names;
    }

    private String errorMessage(byte[] bundle) {
        return catchThrowableOfType(ApiException.class, () -> unpack(bundle, tree)).message();
    }

    private void write(String path, String content) {
        tree.write(path, content.getBytes(UTF_8), false);
    }

    private static void run(String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
    }

    private static int unpack(byte[] bundle, FileTree tree) {
        return Tarball.unpack(() -> new ByteArrayInputStream(bundle), tree);
    }
}
