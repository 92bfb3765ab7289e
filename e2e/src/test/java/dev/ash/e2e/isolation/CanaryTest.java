package dev.ash.e2e.isolation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Resources;
import dev.ash.e2e.Script;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
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
    void sendsTheServerKeyOnlyToTheModel() throws IOException {
        var session = ash.session("dumper");

        var frames = session.ask(Script.bash("python3 dump.py") + "\nSAY:dumped");

        assertThat(Frame.said(frames)).contains("dumped");
        assertOnlyModelHasKey(session, SERVERS);
    }

    @Test
    void sendsAStoredKeyOnlyToTheModel() throws IOException {
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

    private static void assertOnlyModelHasKey(TestSession session, String key) throws IOException {
        assertThat(ash.model().requests())
                .anySatisfy(
                        request -> assertThat(request.headers().get("x-api-key")).isEqualTo(key));
        var workspace = session.sandbox().resolve("workspace");
        assertThat(filesWith(workspace, List.of("ANTHROPIC_API_KEY=sk-ash-")))
                .as("files of a session that dumped its environment")
                .contains(workspace.resolve("dump.txt").toString());
        assertThat(filesWith(workspace, List.of("searched")))
                .as("files of a session that searched readable memory")
                .contains(workspace.resolve("memory.txt").toString());
        session.post("fork").expect(201);
        for (var word : spellings(key)) {
            assertThat(ash.output()).doesNotContain(word);
            assertThat(session.events().toString()).doesNotContain(word);
            assertThat(session.messages().toString()).doesNotContain(word);
        }
        assertThat(filesWith(ash.data(), spellings(key)))
                .as("files in the data directory that contain the key")
                .isEmpty();
    }

    private static List<String> spellings(String key) {
        return List.of(
                key,
                new StringBuilder(key).reverse().toString(),
                Base64.getEncoder().withoutPadding().encodeToString(key.getBytes(UTF_8)));
    }

    /**
     * Searches with grep: engines, caches and disk images have gigabytes. Files of ended sessions
     * may vanish meanwhile (-s).
     */
    private static List<String> filesWith(Path directory, List<String> words) throws IOException {
        var command = new ArrayList<>(List.of("grep", "-rlasF", "--devices=skip"));
        words.forEach(word -> command.addAll(List.of("-e", word)));
        command.add(directory.toString());
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("LC_ALL", "C"); // bytes, not characters
        var process = builder.start();
        try (var lines = process.inputReader(UTF_8)) {
            return lines.lines().toList();
        }
    }
}
