package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.repository.GitFailedException;
import dev.ash.server.repository.Repositories;
import dev.ash.server.session.file.SessionFiles;
import dev.ash.server.workspace.FileTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests git operations in the sandboxes of real sessions. */
class RepositoryTest {
    private static final TenantId TENANT = new TenantId("default");

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo().with("ASH_PROJECT_ROOTS", ProjectDir::roots).agent("hello");

    private static Repositories of(TestSession session) {
        var directory = Path.of(session.created().path("workingDirectory").asString());
        return new Repositories(
                new SessionFiles() {
                    @Override
                    public Path workingDirectory(TenantId tenant, SessionId id) {
                        return directory;
                    }

                    @Override
                    public <T> T use(TenantId tenant, SessionId id, Work<T> work) throws Exception {
                        return work.run(FileTree.withoutLinks(directory));
                    }
                },
                (_, _, command) -> exec(session, command));
    }

    private static ExecResult exec(TestSession session, SessionApi.Exec command) {
        var result = session.exec(command.command());
        return new ExecResult(
                "",
                result.path("exitCode").asInt(),
                result.path("stdout").asString(),
                result.path("stderr").asString());
    }

    private static SessionId id(TestSession session) {
        return new SessionId(session.id());
    }

    @Test
    void showsAndCommitsChangesOfProject() throws IOException {
        var project = ProjectDir.create(ash.directory(), "app", Map.of("a.txt", "1\n2\n3\n"));
        var session = project.session(ash.server(), "hello");
        var git = of(session);
        session.exec("git init -q -b main && git add -A");
        git.commit(TENANT, id(session), "first", null);
        session.ask("demo: run echo 4 >> a.txt; seq 3 > 'b ü'");

        var status = git.status(TENANT, id(session));

        assertThat(status.branch()).isEqualTo("main");
        assertThat(status.changes())
                .extracting(c -> c.path(), c -> c.status().wire(), c -> c.additions())
                .containsExactlyInAnyOrder(
                        tuple("a.txt", "modified", 1), tuple("b ü", "untracked", 3));
        assertThat(git.diff(TENANT, id(session), null, false))
                .extracting(file -> file.path(), file -> file.hunks().size())
                .containsExactly(tuple("a.txt", 1), tuple("b ü", 1));
        git.commit(TENANT, id(session), "second", List.of(project.path() + "/a.txt", "b ü"));
        assertThat(git.status(TENANT, id(session)).isClean()).isTrue();
        assertThat(project.hasProjectOwner(".git/HEAD")).isTrue();
        assertThat(git.read(TENANT, id(session), "a.txt", 3, 10).content()).isEqualTo("4\n");
    }

    @Test
    void runsHooksAndFiltersOnlyInSandbox() {
        var project = ProjectDir.create(ash.directory(), "trap", Map.of("a", "1\n"));
        var session = project.session(ash.server(), "hello");
        var git = of(session);
        var outside = ash.directory().path().resolve("escaped");
        var trap = "sh -c 'hostname >> ran; echo out > %s; cat'".formatted(outside);
        session.exec(
                """
                git init -q -b main; git config filter.f.clean "%s"; git config filter.f.smudge cat
                echo 'a filter=f' > .gitattributes
                printf '#!/bin/sh\\nhostname >> ran; echo out > %s; exit 0\\n' > .git/hooks/pre-commit
                chmod +x .git/hooks/pre-commit; git config core.fsmonitor .git/hooks/pre-commit
                """
                        .formatted(trap, outside));

        git.status(TENANT, id(session));
        git.diff(TENANT, id(session), null, false);
        git.commit(TENANT, id(session), "trapped", List.of("a"));

        assertThat(project.path().resolve("ran")).content().contains("sandbox");
        assertThat(outside).doesNotExist();
    }

    @Test
    void supportsRepositoryInWorkspace() {
        var session = ash.session("hello");
        var git = of(session);

        assertThatThrownBy(() -> git.status(TENANT, id(session)))
                .isInstanceOf(GitFailedException.class)
                .hasMessageContaining("not a git repository");
        session.exec("git init -q -b trunk");
        assertThat(git.branch(TENANT, id(session))).contains("trunk");
        assertThat(git.status(TENANT, id(session)).changes())
                .extracting(c -> c.path())
                .containsExactly("CLAUDE.md");
    }

    @Test
    void reportsDiffThatIsTooLarge() {
        var session = ash.session("hello");
        session.exec("git init -q; yes 'a line that is repeated' | head -c 6000000 > large");

        assertThatThrownBy(() -> of(session).diff(TENANT, id(session), null, false))
                .isInstanceOf(GitFailedException.class)
                .hasMessageContaining("more changes than can be shown");
        assertThat(of(session).diff(TENANT, id(session), List.of("CLAUDE.md"), false)).hasSize(1);
    }
}
