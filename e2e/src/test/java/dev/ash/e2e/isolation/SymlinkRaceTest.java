package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An agent exchanges a directory for a link while the server accesses its files. */
class SymlinkRaceTest {
    private static final String SECRET = "the-host's-secret";
    private static final int TRIES = 250;

    @RegisterExtension final AshExtension ash = AshExtension.demo().agent("racer");

    private TestSession session;
    private Path outside;

    @BeforeEach
    void start() throws IOException {
        session = ash.session("racer");
        outside = Files.createDirectory(ash.directory().path().resolve("outside"));
        Files.setPosixFilePermissions(outside, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.writeString(outside.resolve("file.txt"), SECRET);
    }

    /** Continuously exchanges a directory and a link by atomic renames. */
    private void swap(String target) {
        session.exec(
                """
                mkdir -p real && echo harmless > real/file.txt && ln -s '%s' link
                cat > swap.py <<'PROGRAM'
                import ctypes, os
                libc = ctypes.CDLL(None, use_errno=True)
                while True:
                    libc.renameat2(-100, b"real", -100, b"link", 2)
                PROGRAM
                setsid -f python3 swap.py >/dev/null 2>&1
                """
                        .formatted(target));
    }

    @Test
    void doesNotFollowDirectoriesReplacedByLinks() throws IOException {
        swap(outside.toString());
        var files = session.path() + "/files";
        var content = Base64.getEncoder().encodeToString("planted".getBytes());
        int harmless = 0;
        for (int i = 0; i < TRIES; i++) {
            var read = ash.api().get(files + "/real/file.txt");
            harmless += read.status() == 200 ? 1 : 0;
            assertThat(read.text()).doesNotContain(SECRET);
            ash.api()
                    .post(
                            files,
                            Map.of(
                                    "files",
                                    List.of(
                                            Map.of(
                                                    "path",
                                                    "real/planted" + i + ".txt",
                                                    "content",
                                                    content))));
            ash.api().delete(files + "/real/file" + (i % 2 == 0 ? "" : "2") + ".txt");
            session.exec("echo harmless > real/file.txt; echo harmless > link/file.txt");
        }

        assertThat(harmless).as("successful reads").isPositive();
        assertThat(ash.api().get(files).text()).doesNotContain(SECRET);
        try (var entries = Files.list(outside)) {
            assertThat(entries.map(path -> path.getFileName().toString()))
                    .containsExactly("file.txt");
        }
        assertThat(Files.readString(outside.resolve("file.txt"))).isEqualTo(SECRET);
    }

    @Test
    void copiesNothingFromOutsideIntoAFork() throws IOException {
        swap(outside.toString());

        for (int i = 0; i < 8; i++) {
            var answer = session.post("fork");
            if (answer.status() == 201) {
                var copy = TestSession.of(ash.server(), answer.at("/session/id").asString());
                assertNoSecretIn(copy.sandbox());
            }
        }
    }

    private static void assertNoSecretIn(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                assertThat(
                                new String(
                                        Files.readAllBytes(file),
                                        java.nio.charset.StandardCharsets.ISO_8859_1))
                        .as(file.toString())
                        .doesNotContain(SECRET);
            }
        }
    }
}
