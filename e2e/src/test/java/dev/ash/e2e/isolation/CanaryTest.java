package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.CanarySearch;
import dev.ash.e2e.Frame;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Resources;
import dev.ash.e2e.Script;
import dev.ash.e2e.TestSession;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks with a recognizable key that only the model API receives keys. */
@NeedsClaude
class CanaryTest {
    private static final String SERVERS = "sk-ant-canary-" + UUID.randomUUID();
    private static final String STORED = "sk-ant-stored-canary-" + UUID.randomUUID();

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.claude()
                    .with("ANTHROPIC_API_KEY", SERVERS)
                    .agent(
                            "dumper",
                            Map.of("CLAUDE.md", "x", "dump.py", Resources.text("dump.py")));

    @Test
    void sendsTheServerKeyOnlyToTheModel() {
        var session = ash.session("dumper");

        var frames = session.ask(Script.bash("python3 dump.py") + "\nSAY:dumped");

        assertThat(Frame.said(frames)).contains("dumped");
        assertOnlyModelHasKey(session, SERVERS);
    }

    @Test
    void sendsAStoredKeyOnlyToTheModel() {
        var id =
                ash.api()
                        .post(
                                "/api/credentials",
                                Map.of("label", "mine", "type", "anthropic", "key", STORED))
                        .expect(201)
                        .at("/credential/id")
                        .asString();
        var session = ash.session(Map.of("agent", "dumper", "credentialId", id));

        var frames = session.ask(Script.bash("python3 dump.py") + "\nSAY:dumped with mine");

        assertThat(Frame.said(frames)).contains("dumped with mine");
        assertOnlyModelHasKey(session, STORED);
        assertThat(ash.api().get("/api/credentials").text()).doesNotContain(STORED);
    }

    private static void assertOnlyModelHasKey(TestSession session, String key) {
        assertThat(ash.model().requests())
                .anySatisfy(
                        request -> assertThat(request.headers().get("x-api-key")).isEqualTo(key));
        var workspace = session.sandbox().resolve("workspace");
        assertThat(CanarySearch.files(workspace, List.of("ANTHROPIC_API_KEY=sk-ash-")))
                .as("files of a session that dumped its environment")
                .contains(workspace.resolve("dump.txt").toString());
        assertThat(CanarySearch.files(workspace, List.of("searched")))
                .as("files of a session that searched readable memory")
                .contains(workspace.resolve("memory.txt").toString());
        session.post("fork").expect(201);
        for (var word : CanarySearch.spellings(key)) {
            assertThat(ash.output()).doesNotContain(word);
            assertThat(session.events().toString()).doesNotContain(word);
            assertThat(session.messages().toString()).doesNotContain(word);
        }
        assertThat(CanarySearch.files(ash.data(), CanarySearch.spellings(key)))
                .as("files in the data directory that contain the key")
                .isEmpty();
    }
}
