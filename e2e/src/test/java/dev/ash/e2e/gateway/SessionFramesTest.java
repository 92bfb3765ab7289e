package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the frames of a session lifecycle, with the demo engine as the only engine. */
class SessionFramesTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .gateway()
                    .projectRoots()
                    // Hides engines that are installed on this machine.
                    .with("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");

    private static SampleRepository project;

    @BeforeAll
    static void start() {
        project = SampleRepository.make(ash.projects().resolve("app"));
    }

    private static Phone phone(String... capabilities) {
        return Phone.enter(ash.pair(), capabilities);
    }

    @Test
    void sendsSessionReadyBeforeSessionStarted() {
        try (var phone = phone();
                var other = phone()) {
            for (int i = 0; i < 5; i++) {
                phone.client().send("session_start", "req-" + i, Phone.starting("demo", null));
            }
            var left = new AtomicInteger(10);
            var frames =
                    phone.until(
                            frame ->
                                    frame.path("type").asString().startsWith("session_")
                                            && left.decrementAndGet() == 0);
            var ready = Phone.only("session_ready", frames);
            assertThat(ready).hasSize(5);
            for (var each : ready) {
                var id = each.at("/payload/session_id").asString();
                var started = frames.stream().filter(Phone.is("session_started", id)).toList();
                assertThat(started).hasSize(1);
                assertThat(frames.indexOf(each)).isLessThan(frames.indexOf(started.getFirst()));
                other.await("session_started", id);
            }
        }
    }

    @Test
    void alwaysSendsTheBranch() {
        try (var phone = phone()) {
            var outside = phone.ask("session_start", Phone.starting("demo", null), "session_ready");
            assertThat(outside.path("branch").isString()).as("%s", outside).isTrue();
            assertThat(outside.path("branch").asString()).isEmpty();
            var directory = project.path().toString();
            var inside =
                    phone.ask("session_start", Phone.starting("demo", directory), "session_ready");
            assertThat(inside.path("branch").asString()).isEqualTo("main");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"user_request", "timeout", "error", "completed"})
    void forwardsTheReasonOfASessionEnd(String reason) {
        try (var phone = phone();
                var other = phone()) {
            var session = phone.start("demo", null);
            other.ask("session_start", Phone.resuming(session), "session_ready");
            phone.client()
                    .send("session_end", "end-1", Map.of("session_id", session, "reason", reason));
            for (var each : List.of(phone, other)) {
                var end = each.await("session_end", session).path("payload");
                assertThat(end.path("reason").asString()).isEqualTo(reason);
            }
        }
    }

    @Test
    void rejectsUnknownReasonsOfASessionEnd() {
        try (var phone = phone()) {
            var session = phone.start("demo", null);
            var end = Map.of("session_id", session, "reason", "bored");
            var error = phone.assertError("session_end", end, "BRIDGE_ERROR", true);
            assertThat(error.path("message").asString())
                    .contains("reason", "user_request", "timeout");
            phone.ask("session_start", Phone.resuming(session), "session_ready");
        }
    }

    @Test
    void namesSessionsByTheirFirstPrompt() {
        try (var phone = phone("history_v1")) {
            var session = phone.start("demo", null);
            phone.say(session, "\n  demo: messages 1\n\n");
            phone.await("message", session);
            phone.await("stream_end", session);
            phone.turn(session, "demo: messages 2");
            try (var again = phone.reconnect()) {
                var title =
                        again.ack()
                                .path("active_sessions")
                                .valueStream()
                                .filter(s -> s.path("session_id").asString().equals(session))
                                .findFirst()
                                .orElseThrow()
                                .path("title")
                                .asString();
                assertThat(title).isEqualTo("demo: messages 1");
                var joined = again.ask("session_start", Phone.resuming(session), "session_ready");
                assertThat(joined.path("title").asString()).isEqualTo("demo: messages 1");
            }
        }
    }

    @Test
    void reportsTheMissingProgramAndTheAvailableAgents() {
        try (var phone = phone()) {
            assertThat(phone.ack().path("supported_agents").toString())
                    .doesNotContain("claude-code");
            var error =
                    phone.assertError(
                            "session_start",
                            Phone.starting("claude-code", null),
                            "AGENT_ERROR",
                            true);
            assertThat(error.path("message").asString())
                    .contains(
                            "\"claude\" was not found",
                            "ash engines install claude",
                            "Available: demo");
            var unknown =
                    phone.assertError(
                            "session_start", Phone.starting("goosy", null), "AGENT_ERROR", true);
            assertThat(unknown.path("message").asString())
                    .contains("no agent \"goosy\"", "Available: demo");
        }
    }

    @Test
    void explainsHowToResumeAPausedSession() {
        try (var phone = phone()) {
            var session = phone.start("demo", null);
            ash.api().postNothing("/api/sessions/" + session + "/stop").expect(200);
            phone.await("session_end", session);
            var message = Map.of("session_id", session, "content", "demo: messages 1");
            var error = phone.assertError("message", message, "AGENT_ERROR", true);
            assertThat(error.path("message").asString())
                    .contains("session_start", "resume: true")
                    .doesNotContain("/api/", "POST");
            phone.ask("session_start", Phone.resuming(session), "session_ready");
        }
    }
}
