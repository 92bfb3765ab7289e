package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Checks that no endpoint runs programs configured in the repository of a session. */
class RepositoryTrapsTest {
    @Test
    void runsNoProgramsOfTheRepository() throws Exception {
        try (var ash = AshExtension.demo().agent("trapper").open()) {
            var session = ash.session("trapper");
            var marks = Files.createDirectory(ash.directory().path().resolve("marks"));
            Files.setPosixFilePermissions(marks, PosixFilePermissions.fromString("rwxrwxrwx"));
            // On the host, a sprung trap leaves a file here; the sandbox has no such directory.
            var mark = "touch " + marks + "/sprung; echo sprung >> /home/agent/inside";
            var trap =
                    session.exec(
                            "git init -q . && printf '%s\\n' '#!/bin/sh' '"
                                    + mark
                                    + "' > trap.sh && chmod +x trap.sh"
                                    + " && git config core.fsmonitor ./trap.sh"
                                    + " && git config core.sshCommand ./trap.sh"
                                    + " && git config core.pager ./trap.sh"
                                    + " && git config filter.x.clean ./trap.sh"
                                    + " && git config filter.x.smudge ./trap.sh"
                                    + " && git config diff.external ./trap.sh"
                                    + " && echo '* filter=x diff=x' > .gitattributes"
                                    + " && for h in post-checkout pre-commit post-index-change; do"
                                    + " cp trap.sh .git/hooks/$h; done");
            assertThat(trap.path("exitCode").asInt()).as(trap.toString()).isZero();
            var armed = session.exec("git status >/dev/null 2>&1; cat /home/agent/inside");
            assertThat(armed.path("stdout").asString()).as("the trap works").contains("sprung");
            var files = session.path() + "/files";
            var content = Base64.getEncoder().encodeToString("x".getBytes());

            ash.api().get(files).expect(200);
            ash.api().get(files + "/trap.sh").expect(200);
            ash.api()
                    .post(files, Map.of("files", List.of(Map.of("path", "n", "content", content))))
                    .expect(200);
            ash.api().delete(files + "/n").expect(200);
            ash.api().get(session.path()).expect(200);
            session.post("stop").expect(200);
            session.post("fork").expect(201);
            session.post("resume").expect(200);
            session.end().expect(200);

            assertThat(marks).isEmptyDirectory();
        }
    }
}
