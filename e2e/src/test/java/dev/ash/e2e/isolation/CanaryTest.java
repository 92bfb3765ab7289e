package dev.ash.e2e.isolation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Resources;
import dev.ash.e2e.Script;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
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
        assertThat(contains(workspace(session, "dump.txt"), "ANTHROPIC_API_KEY=sk-ash-"))
                .as("the session dumped its environment")
                .isTrue();
        assertThat(contains(workspace(session, "memory.txt"), "searched"))
                .as("the session searched readable memory")
                .isTrue();
        session.post("fork").expect(201);
        var places = new ArrayList<String>();
        for (var word : spellings(key)) {
            assertThat(ash.output()).doesNotContain(word);
            assertThat(session.events().toString()).doesNotContain(word);
            assertThat(session.messages().toString()).doesNotContain(word);
            places.addAll(filesWith(word));
        }
        assertThat(places).as("files in the data directory that contain the key").isEmpty();
    }

    private static Path workspace(TestSession session, String name) {
        return session.sandbox().resolve("workspace").resolve(name);
    }

    private static List<String> spellings(String key) {
        return List.of(
                key,
                new StringBuilder(key).reverse().toString(),
                Base64.getEncoder().withoutPadding().encodeToString(key.getBytes(UTF_8)));
    }

    private static List<String> filesWith(String word) throws IOException {
        try (var files = Files.walk(ash.data())) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> contains(file, word))
                    .map(Path::toString)
                    .toList();
        }
    }

    private static boolean contains(Path file, String word) {
        try {
            return new String(Files.readAllBytes(file), ISO_8859_1).contains(word);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
