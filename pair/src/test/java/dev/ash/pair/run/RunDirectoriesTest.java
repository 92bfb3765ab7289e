package dev.ash.pair.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoriesTest {
    @TempDir Path temp;
    private Path repository;
    private RunDirectories directories;

    @BeforeEach
    void prepare() throws IOException {
        repository = Files.createDirectories(temp.resolve("my project"));
        Files.createDirectories(repository.resolve(".git"));
        directories = new RunDirectories(temp.resolve("pairs"));
    }

    @Test
    void derivesIdFromNameAndGitDirectory() throws Exception {
        var git = repository.resolve(".git").toRealPath().toString();
        assertThat(Repository.of(repository).id())
                .isEqualTo("my-project-" + sha256(git).substring(0, 12));
    }

    @Test
    void assignsSubdirectoriesAndWorktreesToTheirRepository() throws IOException {
        var gitOfTree = Files.createDirectories(repository.resolve(".git/worktrees/side"));
        Files.writeString(gitOfTree.resolve("commondir"), "../..\n");
        var tree = Files.createDirectories(temp.resolve("side"));
        Files.writeString(tree.resolve(".git"), "gitdir: " + gitOfTree + "\n");
        var below = Files.createDirectories(repository.resolve("src/main"));

        assertThat(Repository.of(tree).id()).isEqualTo(Repository.of(repository).id());
        assertThat(Repository.of(below).id()).isEqualTo(Repository.of(repository).id());
    }

    @Test
    void d16_distinguishesRepositoriesWithEqualNames() throws IOException {
        var other = Files.createDirectories(temp.resolve("x/my project"));
        Files.createDirectories(other.resolve(".git"));
        var plain = Files.createDirectories(temp.resolve("plain"));

        assertThat(Repository.of(other).id()).isNotEqualTo(Repository.of(repository).id());
        assertThat(Repository.of(plain).id()).startsWith("plain-");
    }

    @Test
    void rejectsInvalidGitFiles() throws IOException {
        var tree = Files.createDirectories(temp.resolve("broken"));
        Files.writeString(tree.resolve(".git"), "nonsense");

        assertThatThrownBy(() -> Repository.of(tree).id())
                .hasMessageContaining("gitdir: <directory>");
    }

    @Test
    void d17_assignsUniqueNumbersToConcurrentRuns() {
        var numbers =
                IntStream.range(0, 32)
                        .parallel()
                        .map(
                                _ -> {
                                    try {
                                        return directories
                                                .create(Repository.of(repository))
                                                .runId();
                                    } catch (IOException e) {
                                        throw new AssertionError(e);
                                    }
                                })
                        .sorted()
                        .boxed()
                        .toList();

        assertThat(numbers).isEqualTo(IntStream.rangeClosed(1, 32).boxed().toList());
    }

    @Test
    void d13_findsRunsByNumberOrName() throws IOException {
        var first = directories.create(Repository.of(repository));
        var named = directories.open(Repository.of(repository), "nightly");

        assertThat(directories.find(Repository.of(repository), "1")).contains(first);
        assertThat(directories.open(Repository.of(repository), "1")).isEqualTo(first);
        assertThat(directories.find(Repository.of(repository), "nightly")).contains(named);
        assertThat(named.runId()).isZero();
        assertThat(directories.find(Repository.of(repository), "2")).isEmpty();
        assertThat(directories.list(Repository.of(repository))).containsExactly(first, named);
    }

    @Test
    void findsRunsOfThePublicToolAndDoesNotReuseTheirNumbers() throws Exception {
        var legacy =
                temp.resolve("pairs/runs")
                        .resolve(sha256(repository.toRealPath().toString()).substring(0, 16))
                        .resolve("4");
        Files.createDirectories(legacy);

        assertThat(directories.list(Repository.of(repository)))
                .containsExactly(new RunDirectory(legacy, "4", 4, true));
        assertThat(directories.find(Repository.of(repository), "4")).isPresent();
        assertThat(directories.create(Repository.of(repository)).runId()).isEqualTo(5);
    }

    @Test
    void d28_restrictsDirectoriesToTheirOwner() throws IOException {
        var run = directories.create(Repository.of(repository));

        for (var at = run.path(); !at.equals(temp); at = at.getParent()) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(at)))
                    .isEqualTo("rwx------");
        }
    }

    @Test
    void rejectsNamesThatArePaths() {
        for (var name : new String[] {"..", "../x", "a/b", "", ".hidden", "x".repeat(65)}) {
            assertThatThrownBy(() -> directories.open(Repository.of(repository), name))
                    .hasMessageContaining("run: must be");
        }
    }

    @Test
    void usesConfiguredBaseDirectoryOrTheDefault() throws IOException {
        var home = RunDirectories.of(Map.of(), temp).create(Repository.of(repository)).path();
        var configured =
                RunDirectories.of(Map.of("ASH_PAIR_DIR", temp + "/configured"), temp)
                        .create(Repository.of(repository));

        assertThat(home).startsWith(temp.resolve(".agentpair/runs"));
        assertThat(configured.path()).startsWith(temp.resolve("configured/runs"));
    }

    private static String sha256(String text) throws Exception {
        var digest = MessageDigest.getInstance("SHA-256");
        return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
