package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies of sandboxes. */
class CopyTest {
    private final SandboxId to = SandboxId.random();
    private TestBed bed;
    private SandboxManager manager;
    private SandboxSpec from;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
        manager = bed.manager("serves");
        from = bed.spec();
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) { // null if the test was skipped
            bed.close();
        }
    }

    private void inside(String command) throws IOException {
        try (var sandbox = manager.launch(from)) {
            assertThat(run(sandbox, command)).isEmpty();
        }
    }

    private static long attribute(Path path, String name) throws IOException {
        return ((Number) Files.getAttribute(path, "unix:" + name, LinkOption.NOFOLLOW_LINKS))
                .longValue();
    }

    @Test
    void copiesWorkspaceAndHomeIndependently() throws IOException {
        inside(
                "echo mine > notes; mkdir -p ~/.engine; echo talk > ~/.engine/session; touch /tmp/x");

        manager.copy(from.id(), to);

        try (var copy = manager.launch(bed.spec(to));
                var original = manager.launch(from)) {
            assertThat(run(copy, "cat notes ~/.engine/session CLAUDE.md; ls /tmp | wc -l"))
                    .isEqualTo("mine\ntalk\nYou are a test.\n1");
            assertThat(run(copy, "echo other > notes; touch ~/.engine/new; id -u"))
                    .isEqualTo("1000");
            assertThat(run(original, "cat notes; ls ~/.engine")).isEqualTo("mine\nsession");
        }
        if (TestBed.isRoot()) {
            assertThat(manager.owner(to)).isPresent().isNotEqualTo(manager.owner(from.id()));
        }
    }

    @Test
    void copiesSpecialFilesWithoutFollowingLinks() throws IOException {
        TestBed.needsRoot(); // to read files without read permission
        inside(
                """
                ln -s /etc/shadow out; ln -s ../../../.. up; ln -s nowhere dangling
                echo secret > closed; chmod 000 closed; mkdir locked; touch locked/in; chmod 000 locked
                echo one > a; ln a b
                touch "$(printf 'two\\nlines')" ' -rf' "$(printf '\\377')"
                mkfifo fifo; truncate -s 900M sparse; echo end >> sparse
                python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
                printf '#!/bin/sh\\n' > tool; chmod 4755 tool
                """);
        long uidOfSource = manager.owner(from.id()).orElseThrow();

        manager.copy(from.id(), to);

        var copy = manager.workspace(to);
        long uid = manager.owner(to).orElseThrow();
        assertThat(uid).isNotEqualTo(uidOfSource);
        assertThat(Files.readSymbolicLink(copy.resolve("out"))).hasToString("/etc/shadow");
        assertThat(Files.readSymbolicLink(copy.resolve("up"))).hasToString("../../../..");
        assertThat(copy.resolve("dangling")).isSymbolicLink();
        assertThat(copy.resolve("closed")).hasContent("secret");
        assertThat(attribute(copy.resolve("closed"), "mode") & 07777).isZero();
        assertThat(copy.resolve("locked/in")).exists();
        assertThat(attribute(copy.resolve("a"), "ino"))
                .isEqualTo(attribute(copy.resolve("b"), "ino"));
        assertThat(attribute(copy.resolve("a"), "nlink")).isEqualTo(2);
        assertThat(attribute(copy.resolve("a"), "ino"))
                .isNotEqualTo(attribute(manager.workspace(from.id()).resolve("a"), "ino"));
        assertThat(copy.resolve("two\nlines")).exists();
        assertThat(copy.resolve(" -rf")).exists();
        assertThat(attribute(copy.resolve("fifo"), "mode") & 0170000).isEqualTo(0010000);
        assertThat(copy.resolve("sock")).doesNotExist();
        assertThat(Files.size(copy.resolve("sparse"))).isEqualTo(900L * 1024 * 1024 + 4);
        assertThat(diskUse(copy)).isLessThan(10_000);
        assertThat(attribute(copy.resolve("tool"), "mode") & 07777).isEqualTo(0755);
        assertThat(attribute(Path.of("/etc/shadow"), "uid")).isZero();
        try (var all = Files.walk(copy.getParent())) {
            for (var path :
                    (Iterable<Path>) all.filter(p -> !p.equals(copy.getParent()))::iterator) {
                assertThat(attribute(path, "uid")).as(path.toString()).isEqualTo(uid);
                assertThat(attribute(path, "gid")).as(path.toString()).isEqualTo(uid);
            }
        }
    }

    private static long diskUse(Path directory) throws IOException {
        var du = new ProcessBuilder("du", "-sk", directory.toString()).start();
        try (var lines = du.inputReader()) {
            return Long.parseLong(lines.readLine().split("\\s", 2)[0]);
        }
    }

    @Test
    void rejectsRunningSandboxAsSourceOrTarget() throws IOException {
        inside("true");
        try (var _ = manager.launch(from)) {
            assertThatThrownBy(() -> manager.copy(from.id(), to))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is running");
        }
        var other = bed.spec();
        manager.launch(other).close();
        assertThatThrownBy(() -> manager.copy(from.id(), other.id()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already has files");
        assertThat(manager.workspace(other.id())).exists();
        manager.copy(from.id(), to); // no slot is leaked
    }

    @Test
    void leavesNothingAfterFailedCopy() throws IOException {
        inside("true");
        var missing = SandboxId.random();
        assertThatThrownBy(() -> manager.copy(missing, to))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("No such file");
        assertThat(manager.existing()).containsExactly(from.id());
        if (TestBed.isRoot()) {
            try (var claims = Files.list(bed.root.resolve("uids"))) {
                assertThat(claims.filter(file -> file.getFileName().toString().startsWith("2")))
                        .hasSize(1);
            }
        }
    }

    @Test
    void restartsInterruptedCopy() throws IOException {
        inside("echo mine > notes");
        var directory = manager.workspace(to).getParent();
        Files.createDirectories(directory.resolve("home").resolve("half"));
        Files.createDirectories(directory.resolve("workspace.draft").resolve("half"));

        manager.copy(from.id(), to);

        assertThat(manager.workspace(to).resolve("notes")).hasContent("mine");
        assertThat(directory.resolve("workspace.draft")).doesNotExist();
        assertThat(directory.resolve("home")).isEmptyDirectory();
        manager.discard(to);
        assertThat(directory).doesNotExist();
    }
}
