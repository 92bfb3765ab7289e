package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Checks that multi-byte characters survive arbitrary socket read boundaries. */
class Utf8Test {
    private static final String TEXT =
            "aé日👩‍🚀 ß \u2028\u2029 \ufeff \u00a0 ع ﷽ \ud83c\udff3\ufe0f\u200d\ud83c\udf08 \\ \" end"
                    .repeat(40);

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py");

    private static TestSession session;

    @BeforeAll
    static void start() {

        session = ash.session("echo");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 11, 4095, 8191})
    void textSurvivesSplitWrites(int bytes) {
        var frames = session.ask("PIECES " + bytes + " " + TEXT);

        assertThat(Frame.only("message", frames).getFirst().json().path("text").asString())
                .isEqualTo(TEXT);
    }

    @Test
    void deliversAndStoresPromptsUnchanged() {
        var frames = session.ask(TEXT);

        assertThat(Frame.said(frames)).isEqualTo(TEXT);
        var kept =
                session.messages().stream()
                        .filter(row -> row.path("role").asString().equals("user"))
                        .map(row -> new JsonMapper().readTree(row.path("content").asString()))
                        .map(content -> content.path("content").asString())
                        .toList();
        assertThat(kept).contains(TEXT);
    }

    @Test
    void deliversLongMessage() {
        var text = "日".repeat(150_000);

        assertThat(Frame.said(session.ask(text))).isEqualTo(text);
    }

    @Test
    void supportsUnicodeFileNamesAndNonUtf8Output() {
        // The plain bridge does not support exec, so this server uses the default bridge.
        try (var ash = AshExtension.demo().agent("hello").open()) {
            var demoSession = ash.session("hello");
            var name = "ordner/grüße 日本 🚀.txt";
            var file = Map.of("path", name, "content", AshServer.base64("ö"));

            ash.api()
                    .post(demoSession.path() + "/files", Map.of("files", List.of(file)))
                    .expect(200);

            assertThat(demoSession.exec("cat ordner/*").path("stdout").asString()).isEqualTo("ö");
            assertThat(ash.api().get(demoSession.path() + "/files").expect(200).text())
                    .contains(name);
            assertThat(demoSession.exec("printf 'a\\377b'; printf 'ü'").path("stdout").asString())
                    .startsWith("a")
                    .endsWith("ü");
        }
    }
}
