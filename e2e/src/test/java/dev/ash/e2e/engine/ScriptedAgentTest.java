package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestDirectory;
import dev.ash.e2e.TestSession;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests an ACP engine that only the operator's configuration describes, and that a faulty or
 * hostile one affects only its own session.
 */
class ScriptedAgentTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with("ASH_ENGINES", ScriptedAgentTest::configuration)
                    .agent("hello");

    private static String configuration(TestDirectory directory) {
        var program =
                directory.program("scripted-agent", Resources.text("engines/scripted_acp.py"));
        return """
        {"scripted": {
            "driver": "acp", "command": "%s", "provider": "anthropic",
            "env": {"GREETING": "hi", "URL": "{model.url}", "KEY": "{model.key}", "NONE": "{model}"}}}"""
                .formatted(program);
    }

    private static TestSession session(Map<String, ?> options) {
        var request = new HashMap<String, Object>(options);
        request.put("agent", "hello");
        request.put("engine", "scripted");
        return ash.session(request);
    }

    @Test
    void configurationAloneAddsAnEngine() {
        var session = session(Map.of());

        var environment = new JsonMapper().readTree(Frame.said(session.ask("ENV")));

        assertThat(environment.path("GREETING").asString()).isEqualTo("hi");
        assertThat(environment.path("URL").asString()).startsWith("http://127.0.0.1:");
        assertThat(environment.path("KEY").asString()).startsWith("sk-ash-");
        assertThat(environment.has("NONE")).isFalse();
        assertThat(ash.api().get("/api/engines").expect(200).text()).contains("\"scripted\"");
    }

    @Test
    void keepsConversationInNewProcess() {
        var session = session(Map.of());
        session.ask("SAY:before");
        session.post("stop").expect(200);
        session.post("resume").expect(200);

        assertThat(Frame.said(session.ask("SAY:after"))).isEqualTo("after");
    }

    @Test
    void personDecidesAboutCalls() {
        var session = session(Map.of("permissionMode", "ask"));
        try (var turn = session.send("RUN:echo ran > ran.txt && cat ran.txt")) {
            var question = turn.next("approval_required").json();
            assertThat(question.at("/input/command").asString()).contains("ran.txt");
            session.approve(question);
            assertThat(Frame.said(turn.rest())).isEqualTo("ran\n");
        }
        try (var turn = session.send("RUN:touch never.txt")) {
            session.decide(turn.next("approval_required").json(), Map.of("decision", "rejected"))
                    .expect(200);
            assertThat(Frame.said(turn.rest())).startsWith("not allowed");
        }
        assertThat(session.workspaceFile("ran.txt")).isEqualTo("ran\n");
        assertThat(session.sandbox().resolve("workspace/never.txt")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"FLOOD", "STRANGE", "TWICE"})
    void sessionSurvivesBadOutput(String prompt) {
        var good = session(Map.of());
        var bad = session(Map.of());
        try (var turn = good.send("HOLD")) {
            turn.next("message");

            var frames = bad.ask(prompt);

            assertThat(Frame.said(frames)).as("%s", frames).isEqualTo("survived");
            assertThat(Frame.names(frames)).doesNotContain("error");
            assertThat(Frame.said(bad.ask("SAY:still here"))).isEqualTo("still here");
            good.signal("go");
            assertThat(Frame.names(turn.rest())).endsWith("done").doesNotContain("error");
        }
        bad.end();
        good.end();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ENDLESS", "LATIN1", "DIE", "DIE-ASKING"})
    void failureAffectsOnlyItsSession(String prompt) {
        var good = session(Map.of());
        var bad = session(Map.of("permissionMode", "ask"));
        try (var turn = good.send("HOLD")) {
            turn.next("message");

            var frames = bad.ask(prompt);

            assertThat(Frame.names(frames)).endsWith("error", "done");
            assertThat(Frame.only("error", frames).getFirst().data()).doesNotContain("Exception");
            good.signal("go");
            assertThat(Frame.names(turn.rest())).endsWith("done").doesNotContain("error");
        }
        assertThat(Frame.said(good.ask("SAY:unharmed"))).isEqualTo("unharmed");
        bad.post("resume").expect(200);
        assertThat(Frame.said(bad.ask("SAY:repaired"))).isEqualTo("repaired");
        bad.end();
        good.end();
    }

    @Test
    void interruptEndsTurnOfSilentEngine() {
        var bad = session(Map.of());
        try (var turn = bad.send("MUTE")) {
            turn.next("message");
            var start = Instant.now();

            bad.post("interrupt").expect(200);

            turn.rest();
            assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(20));
        }
        assertThat(Frame.said(bad.ask("SAY:back"))).isEqualTo("back");
        bad.end();
    }
}
