package dev.ash.server.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.project.GitUser;
import dev.ash.server.repository.FileDiff.Kind;
import dev.ash.server.session.file.SessionFiles;
import dev.ash.server.workspace.FileTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs commands on this machine instead of in a sandbox. */
class RepositoriesTest {
    private static final TenantId TENANT = new TenantId("default");
    private static final SessionId SESSION = SessionId.random();

    @TempDir private Path directory;
    private Path work;
    private Repositories repositories;
    private Optional<GitUser> owner = Optional.empty();

    @BeforeEach
    void createRepositories() throws Exception {
        work = Files.createDirectory(directory.toRealPath().resolve("work"));
        repositories =
                new Repositories(
                        new SessionFiles() {
                            @Override
                            public Path workingDirectory(TenantId tenant, SessionId id) {
                                return work;
                            }

                            @Override
                            public <T> T use(TenantId tenant, SessionId id, Work<T> use)
                                    throws Exception {
                                return use.run(new FileTree(work, OptionalInt.empty()));
                            }

                            @Override
                            public Optional<GitUser> gitUser(TenantId tenant, SessionId id) {
                                return owner;
                            }
                        },
                        (_, _, command) -> run(command));
    }

    private ExecResult run(SessionApi.Exec command) {
        try {
            var errors = Files.createTempFile(directory, "errors", "");
            var builder =
                    new ProcessBuilder("/bin/sh", "-c", command.command())
                            .directory(work.toFile())
                            .redirectError(errors.toFile());
            builder.environment().put("HOME", directory.toString());
            var process = builder.start();
            var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new ExecResult("", process.waitFor(), out, Files.readString(errors));
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void sh(String script) {
        var result = run(new SessionApi.Exec("set -e\n" + script, null));
        assertThat(result.exitCode()).as(result.stderr()).isZero();
    }

    private void initRepository() {
        sh("git init -q -b main; git config user.name Me; git config user.email me@example.org");
    }

    private String commitAndReadAuthor() throws Exception {
        repositories.commit(TENANT, SESSION, "one", null);
        return run(new SessionApi.Exec("git log -1 --format='%an <%ae>, %cn <%ce>'", null))
                .stdout()
                .strip();
    }

    @Test
    void commitsWithAuthorOfRepository() throws Exception {
        initRepository();
        owner = Optional.of(new GitUser("Owner", "owner@example.org"));
        sh("echo a > a; git add a");

        assertThat(commitAndReadAuthor()).isEqualTo("Me <me@example.org>, Me <me@example.org>");
    }

    @Test
    void commitsWithAuthorOfOwnerIfRepositoryHasNone() throws Exception {
        owner = Optional.of(new GitUser("O'Hara $(id)", "o@example.org"));
        sh("git init -q -b main; echo a > a; git add a");

        assertThat(commitAndReadAuthor())
                .isEqualTo("O'Hara $(id) <o@example.org>, O'Hara $(id) <o@example.org>");
    }

    @Test
    void completesMissingAuthorWithDefault() throws Exception {
        owner = Optional.of(new GitUser("Owner", null));
        sh("git init -q -b main; echo a > a; git add a");

        assertThat(commitAndReadAuthor()).isEqualTo("Owner <ash@localhost>, Owner <ash@localhost>");
    }

    private GitStatus status() {
        return repositories.status(TENANT, SESSION);
    }

    private List<FileDiff> diff(List<String> files, boolean cached) {
        return repositories.diff(TENANT, SESSION, files, cached);
    }

    @Test
    void reportsStatusAndCountsOfAllChanges() {
        initRepository();
        sh(
                """
                printf '1\\n2\\n3\\n' > changed; printf '1\\n2\\n' > gone; seq 20 > before
                printf '\\0\\1' > binary; echo x > staged-then-gone; echo a > both
                git add -A; git commit -qm one
                printf '1\\ntwo\\n3\\n4\\n' > changed; rm gone; git mv before after
                printf '\\0\\2' > binary; printf 'a\\nb\\n' > 'new "file"'; seq 3 > added; git add added
                echo b >> both; git add both; echo c >> both; git rm -q --cached staged-then-gone
                mkdir -p 'in/a b'; seq 5 > "$(printf 'in/a b/tab\\there')"; echo ü > ü.txt
                """);

        var status = status();

        assertThat(status.branch()).isEqualTo("main");
        assertThat(status.isClean()).isFalse();
        assertThat(status.changes())
                .extracting(
                        c -> c.path(),
                        c -> c.status().wire(),
                        c -> c.additions(),
                        c -> c.deletions())
                .contains(
                        tuple("changed", "modified", 2, 1),
                        tuple("gone", "deleted", 0, 2),
                        tuple("after", "renamed", 0, 0),
                        tuple("binary", "modified", 0, 0),
                        tuple("added", "added", 3, 0),
                        tuple("both", "modified", 2, 0),
                        tuple("new \"file\"", "untracked", 2, 0),
                        tuple("in/a b/tab\there", "untracked", 5, 0),
                        tuple("ü.txt", "untracked", 1, 0))
                .hasSize(11); // plus one that is both deleted and untracked
        sh("git diff --cached --quiet -- 'new \"file\"'"); // reading the status stages nothing
    }

    @Test
    void reportsAheadBehindAndDetachedHead() {
        initRepository();
        sh(
                """
                echo 1 > a; git add a; git commit -qm one; git branch base
                echo 2 > a; git commit -qam two; git checkout -q base; echo 3 > a; git commit -qam three
                echo 4 > a; git commit -qam four; git branch -q --set-upstream-to=main
                """);

        var status = status();

        assertThat(List.of(status.branch(), status.ahead(), status.behind()))
                .isEqualTo(List.of("base", 2, 1));
        assertThat(status.isClean()).isTrue();
        sh("git checkout -q --detach");
        assertThat(status().branch()).matches("[0-9a-f]{7}");
        assertThat(repositories.branch(TENANT, SESSION).orElseThrow()).matches("[0-9a-f]{7,}");
    }

    @Test
    void readsRepositoryWithoutCommits() {
        initRepository();
        sh("echo 1 > a; git add a; echo 2 > b");

        assertThat(status().changes())
                .extracting(c -> c.path(), c -> c.status().wire(), c -> c.additions())
                .containsExactlyInAnyOrder(tuple("a", "added", 1), tuple("b", "untracked", 1));
        assertThat(repositories.branch(TENANT, SESSION)).contains("main");
        assertThat(diff(null, true)).extracting(FileDiff::path).containsExactly("a");
        assertThat(diff(null, false)).extracting(FileDiff::path).containsExactly("b");
    }

    @Test
    void keepsMarkersOfDiffLines() {
        initRepository();
        sh("seq 20 > a; git add a; git commit -qm one; sed -i '10s/.*/ten/' a");

        var file = diff(null, false).getFirst();

        assertThat(List.of(file.path(), file.oldPath(), file.newPath()))
                .isEqualTo(List.of("a", "a", "a"));
        assertThat(List.of(file.status().wire(), file.additions(), file.deletions()))
                .isEqualTo(List.of("modified", 1, 1));
        assertThat(file.hunks()).hasSize(1);
        var hunk = file.hunks().getFirst();
        assertThat(hunk.header()).startsWith("@@ -7,7 +7,7 @@");
        assertThat(List.of(hunk.oldStart(), hunk.oldLines(), hunk.newStart(), hunk.newLines()))
                .isEqualTo(List.of(7, 7, 7, 7));
        assertThat(hunk.lines())
                .extracting(line -> line.content())
                .containsExactly(" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13");
        assertThat(hunk.lines())
                .extracting(line -> line.kind().wire())
                .containsSequence("context", "removed", "added", "context");
    }

    @Test
    void doesNotMistakeContentForHeaders() {
        initRepository();
        sh(
                """
                printf -- '-- a/x\\n@@ -1 +1 @@\\n' > a; git add a; git commit -qm one
                printf '++ b/x\\ndiff --git a/x b/x\\n@@ -1,9 +1,9 @@\\n\\ No newline' > a
                echo z > z
                """);

        var files = diff(null, false);

        assertThat(files).extracting(FileDiff::path).containsExactly("a", "z");
        assertThat(files.getFirst().hunks()).hasSize(1);
        assertThat(files.getFirst().hunks().getFirst().lines())
                .extracting(line -> line.content())
                .containsExactly(
                        "--- a/x",
                        "-@@ -1 +1 @@",
                        "+++ b/x",
                        "+diff --git a/x b/x",
                        "+@@ -1,9 +1,9 @@",
                        "+\\ No newline");
    }

    @Test
    void parsesRenamesBinariesModesTypesAndQuotedNames() {
        initRepository();
        sh(
                """
                seq 20 > before; printf '\\0\\1' > binary; echo x > mode; echo t > type
                echo q > "$(printf 'we"ird\\\\ \\ttab\\nline ü')"; git add -A; git commit -qm one
                git mv before after; echo 21 >> after; printf '\\0\\2' > binary; chmod +x mode
                rm type; ln -s mode type; echo r >> "$(printf 'we"ird\\\\ \\ttab\\nline ü')"; git add -A
                """);

        var files = diff(null, true);

        assertThat(files)
                .extracting(
                        f -> f.path(), f -> f.oldPath(), f -> f.status().wire(), f -> f.binary())
                .containsExactlyInAnyOrder(
                        tuple("after", "before", "renamed", false),
                        tuple("binary", "binary", "modified", true),
                        tuple("mode", "mode", "modified", false),
                        tuple("type", "type", "modified", false),
                        tuple(
                                "we\"ird\\ \ttab\nline ü",
                                "we\"ird\\ \ttab\nline ü",
                                "modified",
                                false));
        assertThat(files.stream().filter(f -> f.path().equals("type")).findFirst().orElseThrow())
                .satisfies(
                        f -> {
                            assertThat(f.hunks()).hasSize(2);
                            assertThat(f.hunks().get(1).lines().getFirst().kind())
                                    .isEqualTo(Kind.ADDED);
                        });
        assertThat(diff(null, false)).isEmpty();
    }

    @Test
    void reportsConflictAsChange() {
        initRepository();
        sh(
                """
                echo 1 > a; git add a; git commit -qm one; git branch other; echo 2 > a; git commit -qam two
                git checkout -q other; echo 3 > a; git commit -qam three; git merge -q main || true
                """);

        assertThat(status().changes())
                .extracting(c -> c.status().wire())
                .containsExactly("modified");
        assertThat(diff(null, false)).hasSize(1);
        assertThat(diff(null, false).getFirst().hunks()).isNotEmpty();
        assertThat(diff(null, true)).isEmpty();
    }

    @Test
    void treatsPathsLiterally() {
        initRepository();
        sh("echo 1 > a; echo 1 > b; echo 1 > '*'; echo 1 > -A; git add -A; git commit -qm one");
        sh("for f in a b '*' ./-A; do echo 2 > \"$f\"; done; echo new > c");

        assertThat(diff(List.of("*"), false)).extracting(FileDiff::path).containsExactly("*");
        assertThat(diff(List.of("-A", work + "/c"), false))
                .extracting(FileDiff::path)
                .containsExactly("-A", "c");
        repositories.commit(TENANT, SESSION, "only that", List.of("-A"));
        assertThat(status().changes())
                .extracting(c -> c.path())
                .containsExactlyInAnyOrder("*", "a", "b", "c");
        assertThatThrownBy(() -> diff(List.of("../x"), false))
                .isInstanceOf(BadPathException.class)
                .hasMessageContaining("is outside of");
    }

    @Test
    void detectsChangeWithUnchangedTimestamp() {
        initRepository();
        sh("git config core.trustctime false; echo 1 > a; touch -d @1000000000 a");
        sh("git add a; git commit -qm one");
        sh("echo 2 > a; touch -d @1000000000 a .git/index");

        assertThat(diff(null, false)).extracting(FileDiff::path).containsExactly("a");
        assertThat(status().changes()).extracting(c -> c.path()).containsExactly("a");
    }

    @Test
    void commitsExactlyStagedChangesWithoutFiles() {
        initRepository();
        sh("echo 1 > a; echo 1 > b; git add -A; git commit -qm one");
        assertThatThrownBy(() -> repositories.commit(TENANT, SESSION, "none", null))
                .isInstanceOf(GitFailedException.class)
                .hasMessageContaining("nothing is staged");
        sh("echo 2 > a; git add a; echo 2 > b; echo 3 >> a; echo new > c");

        var hash = repositories.commit(TENANT, SESSION, "It's \"$HOME\"\n\n# body\n-x", null);

        assertThat(hash).matches("[0-9a-f]{40}");
        sh("test \"$(git show HEAD:a)\" = 2; test \"$(git show HEAD:b)\" = 1");
        sh(
                "git log -1 --format=%B | grep -qx '# body'; git log -1 --format=%s | grep -qF '\"$HOME\"'");
        assertThat(status().changes())
                .extracting(c -> c.path(), c -> c.status().wire())
                .containsExactly(
                        tuple("a", "modified"), tuple("b", "modified"), tuple("c", "untracked"));
    }

    @Test
    void commitsOnlyGivenFiles() {
        initRepository();
        sh("echo 1 > a; echo 1 > b; echo 1 > gone; git add -A; git commit -qm one");
        sh("echo 2 > a; echo 2 > b; git add b; rm gone; echo new > c");

        repositories.commit(TENANT, SESSION, "some", List.of("a", "gone", "./c"));

        assertThat(status().changes())
                .extracting(c -> c.path(), c -> c.status().wire())
                .containsExactly(tuple("b", "modified"));
        sh("git diff --cached --name-only | grep -qx b"); // still staged
        assertThatThrownBy(() -> repositories.commit(TENANT, SESSION, "x", List.of()))
                .isInstanceOf(GitFailedException.class);
        assertThatThrownBy(() -> repositories.commit(TENANT, SESSION, " ", null))
                .isInstanceOf(GitFailedException.class)
                .hasMessageContaining("message");
        assertThatThrownBy(() -> repositories.commit(TENANT, SESSION, "x", List.of("nowhere")))
                .isInstanceOf(GitFailedException.class)
                .hasMessageContaining("nowhere");
    }

    @Test
    void commitsWithDefaultAuthor() {
        sh("git init -q -b main; echo 1 > a; git add a");

        repositories.commit(TENANT, SESSION, "first", null);

        sh("git log -1 --format='%an <%ae>' | grep -qx 'Ash <ash@localhost>'");
    }

    @Test
    void reportsErrorOfFailingHook() {
        initRepository();
        sh(
                "echo 1 > a; git add a; printf '#!/bin/sh\\necho no way >&2; exit 1' > .git/hooks/pre-commit");
        sh("chmod +x .git/hooks/pre-commit");

        assertThatThrownBy(() -> repositories.commit(TENANT, SESSION, "x", null))
                .isInstanceOf(GitFailedException.class)
                .hasMessageContaining("no way");
    }

    @Test
    void parsesOutputIndependentOfRepositorySettings() {
        initRepository();
        sh(
                """
                seq 20 > a; git add a; git commit -qm one; sed -i '10s/.*/ten/' a; git mv a b
                git config diff.noprefix true; git config color.ui always; git config diff.context 0
                git config diff.external 'echo external'; git config status.showUntrackedFiles no
                git config diff.renames false; git config core.quotePath true; echo x > ü
                git config core.fsmonitor 'touch watched; false'; git config diff.mnemonicPrefix true
                echo '* diff=odd' > .git/info/attributes; git config diff.odd.textconv 'echo odd'
                git config commit.gpgSign true; git config core.pager false
                """);

        assertThat(status().changes())
                .extracting(c -> c.path(), c -> c.status().wire())
                .containsExactly(tuple("b", "renamed"), tuple("ü", "untracked"));
        assertThat(diff(List.of("b"), false).getFirst().hunks().getFirst().lines()).hasSize(8);
        repositories.commit(TENANT, SESSION, "unsigned", null);
    }

    @Test
    void reportsMissingRepository() {
        sh("git init -q ..");

        assertThatThrownBy(this::status)
                .isInstanceOf(GitFailedException.class)
                .hasMessageContaining("not a git repository");
        assertThatThrownBy(() -> diff(null, false)).isInstanceOf(GitFailedException.class);
        assertThat(repositories.branch(TENANT, SESSION)).isEmpty();
    }

    @Test
    void rejectsTooLongCommands() {
        var many = java.util.Collections.nCopies(20_000, "some/file");

        assertThatThrownBy(() -> diff(many, false))
                .isInstanceOf(GitFailedException.class)
                .hasMessageContaining("too many files");
    }

    @Test
    void listsPagesWithDirectoriesFirst() throws IOException {
        sh("mkdir b a .hidden; touch c .dot; echo 12345 > d; ln -s /etc/passwd link");

        var page = repositories.list(TENANT, SESSION, ".", 0, 3, false);

        assertThat(page.path()).isEqualTo(work.toString());
        assertThat(page.entries()).extracting(e -> e.name()).containsExactly("a", "b", "c");
        assertThat(page.total()).isEqualTo(5);
        assertThat(page.hasMore()).isTrue();
        var rest = repositories.list(TENANT, SESSION, work.toString(), 3, 100, false);
        assertThat(rest.entries())
                .extracting(e -> e.name(), e -> e.path(), e -> e.isDirectory(), e -> e.size())
                .startsWith(tuple("d", work + "/d", false, 6L));
        assertThat(rest.hasMore()).isFalse();
        assertThat(repositories.list(TENANT, SESSION, "", 0, 100, true).entries())
                .extracting(e -> e.name())
                .containsExactly(".hidden", "a", "b", ".dot", "c", "d", "link");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"..", "/etc/passwd", "out/passwd", "out", "file", "a/../../x", "nowhere"})
    void rejectsPathsOutsideAndMissingFiles(String path) throws IOException {
        sh("ln -s /etc out; ln -s /etc/passwd file");

        assertThatThrownBy(() -> repositories.read(TENANT, SESSION, path, 0, 10))
                .isInstanceOf(BadPathException.class);
        assertThatThrownBy(() -> repositories.list(TENANT, SESSION, path, 0, 10, false))
                .isInstanceOf(BadPathException.class);
    }

    @Test
    void readsPagesOfLines() throws IOException {
        Files.writeString(work.resolve("f"), "eins\r\nzwei ü\n\nvier");

        var page = repositories.read(TENANT, SESSION, "f", 1, 2);

        assertThat(page).isEqualTo(new TextPage(work + "/f", "zwei ü\n\n", 19, 4, 1, 2, false));
        assertThat(page.hasMore()).isTrue();
        var last = repositories.read(TENANT, SESSION, work + "/f", 3, 100);
        assertThat(last.content()).isEqualTo("vier");
        assertThat(last.hasMore()).isFalse();
        assertThat(repositories.read(TENANT, SESSION, "f", 9, 100).content()).isEmpty();
        Files.writeString(work.resolve("empty"), "");
        assertThat(repositories.read(TENANT, SESSION, "empty", 0, 10).lines()).isZero();
    }

    @Test
    void marksBinaryFilesAndTruncatesLongLines() throws IOException {
        Files.write(work.resolve("b"), new byte[] {1, 0, 2, '\n'});
        Files.writeString(work.resolve("long"), "x".repeat(3_000_000) + "\nnext\n");
        Files.writeString(work.resolve("many"), ("y".repeat(999) + "\n").repeat(3000));

        var binary = repositories.read(TENANT, SESSION, "b", 0, 10);

        assertThat(List.of(binary.binary(), binary.content(), binary.size(), binary.lines()))
                .isEqualTo(List.of(true, "", 4L, 1));
        var cut = repositories.read(TENANT, SESSION, "long", 0, 10);
        assertThat(cut.content()).hasSize(LineReader.MAX_CONTENT);
        assertThat(List.of(cut.count(), cut.lines(), cut.hasMore())).isEqualTo(List.of(1, 2, true));
        assertThat(repositories.read(TENANT, SESSION, "long", 1, 10).content()).isEqualTo("next\n");
        var some = repositories.read(TENANT, SESSION, "many", 0, 3000);
        assertThat(some.count()).isEqualTo(LineReader.MAX_CONTENT / 1000);
        assertThat(some.content()).endsWith("y\n");
    }
}
