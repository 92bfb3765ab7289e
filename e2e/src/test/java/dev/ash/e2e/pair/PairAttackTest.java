package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ash.e2e.AshExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Attacks on the git steps that the server runs for a pair. */
class PairAttackTest {
    @RegisterExtension final AshExtension ash = AshExtension.demo().pairs();

    private static final String CANARY = "canary-of-root-f3b1c2";

    /** A git configuration with a filter that records its privileges and copies its input. */
    private static final String FILTER =
            """
            [filter "evil"]
            \tsmudge = "(id; grep -E '^(Seccomp|CapEff)' /proc/self/status; unshare -Ur grep CapEff /proc/self/status) >> /workspace/evidence.txt 2>&1; cat"
            \tclean = cat
            [core]
            \tfsmonitor = "echo fsmonitor >> /workspace/evidence.txt; false"
            \tsshCommand = "echo ssh >> /workspace/evidence.txt; false"
            [diff]
            \texternal = "echo diff >> /workspace/evidence.txt; true"
            """;

    @Test
    void ignoresAgentGitConfigurationInTheReviewersClone() throws IOException {
        var world = new PairWorld(ash, "sums");
        var server = world.server();
        server.deploy(
                "reviewer",
                Map.of("CLAUDE.md", "You review.\n", "evidence.txt", "", "x", "plain\n"));
        // Earlier versions stored uploads with a .git directory.
        var planted =
                Map.of(
                        ".git/config",
                        FILTER,
                        ".git/info/attributes",
                        "* filter=evil\n",
                        ".gitattributes",
                        "* filter=evil\n",
                        "sub/.git/config",
                        FILTER);
        for (var directory : agentDirectories(server.data())) {
            for (var file : planted.entrySet()) {
                var path = directory.resolve(file.getKey());
                Files.createDirectories(path.getParent());
                Files.writeString(path, file.getValue());
            }
        }

        var id = world.start(Map.of("reviewer", "reviewer"));

        await().atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(20))
                .until(
                        () -> {
                            assertThat(evidence(server.data()))
                                    .as("evidence of executed filters")
                                    .isEmpty();
                            return world.show(id).path("state").asString().equals("over");
                        });
        assertThat(world.show(id).path("outcome").asString()).isEqualTo("completed");
    }

    private static List<Path> agentDirectories(Path data) throws IOException {
        try (var files = Files.walk(data.resolve("agents"))) {
            return files.filter(file -> file.getFileName().toString().equals("CLAUDE.md"))
                    .map(Path::getParent)
                    .toList();
        }
    }

    private static String evidence(Path data) throws IOException {
        var texts = new ArrayList<String>();
        try (var sandboxes = Files.list(data.resolve("sandboxes"))) {
            for (var sandbox : sandboxes.toList()) {
                var file = sandbox.resolve("workspace/evidence.txt");
                if (Files.exists(file)) {
                    texts.add(content(file));
                }
            }
        }
        return String.join("", texts);
    }

    /** The owner of the repository continuously replaces bundles by links. */
    @Test
    void doesNotFollowLinksInPlaceOfBundles() throws Exception {
        assumeTrue(
                "root".equals(System.getProperty("user.name")),
                "skipped: requires root, so that the repository has another owner");
        var world = new PairWorld(ash, "sums");
        var data = world.server().data();
        var canary = Files.writeString(world.server().directory().path().resolve("c"), CANARY);
        Files.setPosixFilePermissions(canary, PosixFilePermissions.fromString("rw-------"));
        var owner = startLinking(data, canary);
        try {
            var end = world.awaitEnd(world.start(Map.of()));

            assertThat(filesWith(data.resolve("sandboxes"), CANARY))
                    .as("sandbox files that contain the canary")
                    .isEmpty();
            assertThat(canary).hasContent(CANARY);
            assertThat(owner.isAlive()).as("the attack is running").isTrue();
            assertThat(end.path("outcome").asString())
                    .as(end.toPrettyString())
                    .isEqualTo("completed");
        } finally {
            owner.descendants().forEach(ProcessHandle::destroyForcibly);
            owner.destroyForcibly().waitFor();
        }
    }

    /** Starts the attack, which exits automatically after ten minutes. */
    private static Process startLinking(Path data, Path target) throws IOException {
        var program =
                """
                import glob, os, sys, time
                end = time.time() + 600
                while time.time() < end:
                    for parent in ('pairs', 'bundles'):
                        for directory in glob.glob(sys.argv[1] + '/' + parent + '/sums-*'):
                            for name in ('base.bundle', 'out.bundle'):
                                try:
                                    os.symlink(sys.argv[2], directory + '/l')
                                    os.rename(directory + '/l', directory + '/' + name)
                                except OSError:
                                    pass
                """;
        var words = new ArrayList<String>();
        words.addAll(List.of("setpriv", "--reuid=4711", "--regid=4712", "--clear-groups", "--"));
        words.addAll(List.of("python3", "-c", program, data.toString(), target.toString()));
        var builder =
                new ProcessBuilder(words)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("PATH", "/usr/bin:/bin"); // programs that every user may run
        return builder.start();
    }

    /** Skips files that the server removes meanwhile. */
    private static List<Path> filesWith(Path directory, String text) throws IOException {
        var found = new ArrayList<Path>();
        Files.walkFileTree(
                directory,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (attributes.isRegularFile() && content(file).contains(text)) {
                            found.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure) {
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path visited, IOException failure) {
                        return FileVisitResult.CONTINUE;
                    }
                });
        return found;
    }

    private static String content(Path file) {
        try {
            return Files.size(file) > 100_000
                    ? ""
                    : new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
