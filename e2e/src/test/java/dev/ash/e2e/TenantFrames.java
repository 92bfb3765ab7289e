package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.gateway.DeviceClient;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * Probes with device frames that reference a session, an approval or a notification of another
 * tenant.
 */
final class TenantFrames implements AutoCloseable {
    private static final String[] CAPABILITIES = {
        "interrupt_v1", "permission_mode_v1", "approvals_v1", "questions_v1", "history_v1"
    };
    private static final Map<String, Object> COMMIT =
            Map.of("message", "more", "files", List.of("notes.txt"));
    private static final Map<String, Object> RESUME = Map.of("agent", "demo", "resume", true);

    private final Tenant owner;
    private final TenantPairs pairs;
    private final DeviceClient foreigner;
    private DeviceClient phone;
    private String answeredQuestion = ""; // id of the pair's last answered question

    TenantFrames(Tenant owner, Tenant foreigner, TenantPairs pairs) {
        this.owner = owner;
        this.pairs = pairs;
        this.foreigner = DeviceClient.enter(foreigner.phone, CAPABILITIES);
    }

    List<TenantProbe> probes() {
        var session = owner.session;
        return List.of(
                new NotificationProbe(),
                new FrameProbe("session_start", session, () -> RESUME, "session_ready"),
                new FrameProbe("session_start", owner.askingSession, () -> RESUME, "session_ready"),
                new FrameProbe("session_start", pairs.worker(), () -> RESUME, "session_ready"),
                new FrameProbe("history_request", session, Map::of, "history_response"),
                new FrameProbe("git_status_request", session, Map::of, "git_status_response"),
                new FrameProbe("git_diff", session, Map::of, "git_diff_response"),
                new FrameProbe("git_commit", session, () -> COMMIT, "git_status_response"),
                new FrameProbe("file_list", session, Map::of, "file_list_response"),
                new FrameProbe(
                        "file_read",
                        session,
                        () -> Map.of("path", "notes.txt"),
                        "file_read_response"),
                new UnansweredFrameProbe(
                        "message",
                        session,
                        () -> Map.of("content", "by frame", "role", "user"),
                        () -> text(session, "/messages").contains("by frame")),
                new FrameProbe("interrupt", session, Map::of, "interrupted"),
                new FrameProbe(
                        "permission_mode",
                        session,
                        () -> Map.of("mode", "ask"),
                        "permission_mode_changed"),
                new UnansweredFrameProbe(
                        "approval_response", owner.askingSession, this::approved, this::isDecided),
                new UnansweredFrameProbe(
                        "plan_review_response",
                        owner.askingSession,
                        this::approvedAgain,
                        this::isDecided),
                new UnansweredFrameProbe(
                        "question_response",
                        pairs.worker(),
                        this::continuePair,
                        this::isQuestionDecided),
                new UnansweredFrameProbe(
                        "session_end",
                        owner.askingSession,
                        Map::of,
                        () -> text(owner.askingSession, "").contains("\"ended\"")));
    }

    private String text(ForeignId session, String what) {
        return owner.api.get("/api/sessions/" + session.value() + what).expect(200).text();
    }

    private Map<String, Object> approved() {
        return Map.of("tool_call_id", owner.toolCall(), "decision", "approved");
    }

    /** Asks a second question if the first one was already approved. */
    private Map<String, Object> approvedAgain() {
        if (isDecided()) {
            owner.awaitAnswered();
            owner.ask();
        }
        return approved();
    }

    private boolean isDecided() {
        return isDecided(owner.approval().value());
    }

    private boolean isDecided(String approval) {
        var shown = owner.api.get("/api/approvals/" + approval).expect(200);
        return !shown.at("/approval/status").asString().equals("pending");
    }

    private boolean isQuestionDecided() {
        return isDecided(answeredQuestion);
    }

    private Map<String, Object> continuePair() {
        var question = pairs.awaitQuestion();
        answeredQuestion = question.path("id").asString();
        var text = question.at("/input/questions/0/question").asString();
        return Map.of(
                "tool_call_id",
                question.path("id").asString(),
                "answers",
                Map.of(text, "Another round"));
    }

    /** Frame about a session; {@code answer} is the type of the response to its owner. */
    private class FrameProbe implements TenantProbe {
        final String type;
        final ForeignId session;
        private final Supplier<Map<String, Object>> payload;
        private final String answer;

        FrameProbe(
                String type,
                ForeignId session,
                Supplier<Map<String, Object>> payload,
                String answer) {
            this.type = type;
            this.session = session;
            this.payload = payload;
            this.answer = answer;
        }

        @Override
        public String location() {
            return "frame " + type;
        }

        Map<String, Object> payloadFor(String id) {
            var payloadWithId = new HashMap<>(payload.get());
            payloadWithId.put("session_id", id);
            return payloadWithId;
        }

        @Override
        public void asForeigner() {
            var random = session.random();
            var answered = foreigner.request(type, payloadFor(session.value()));
            var other = foreigner.request(type, payloadFor(random));
            assertThat(answered.path("type").asString()).as("%s", answered).isEqualTo("error");
            assertThat(payloadWithoutId(answered, session.value()))
                    .isEqualTo(payloadWithoutId(other, random));
        }

        private static String payloadWithoutId(JsonNode frame, String id) {
            return frame.path("payload").toString().replace(id, "<id>");
        }

        @Override
        public void asOwner() {
            var shown = phone.request(type, payloadFor(session.value()));
            assertThat(shown.path("type").asString()).as("%s", shown).isEqualTo(answer);
        }
    }

    /** Frame that is answered only if it fails; its effect is checked through the API. */
    private final class UnansweredFrameProbe extends FrameProbe {
        private final Callable<Boolean> effect;

        UnansweredFrameProbe(
                String type,
                ForeignId session,
                Supplier<Map<String, Object>> payload,
                Callable<Boolean> effect) {
            super(type, session, payload, "");
            this.effect = effect;
        }

        @Override
        public void asOwner() {
            phone.send(type, "of-its-owner", payloadFor(session.value()));
            await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20)).until(effect);
        }
    }

    /** Acknowledgment, which is never answered; its effect is checked in the database. */
    private final class NotificationProbe implements TenantProbe {
        @Override
        public String location() {
            return "frame notification_ack";
        }

        @Override
        public void asForeigner() {
            foreigner.send("notification_ack", "ack", ids(storedNotifications()));
            // Requests without a session are processed sequentially.
            assertThat(foreigner.request("interrupt", Map.of()).path("type").asString())
                    .isEqualTo("error");
        }

        /** Connects the device only after the question, so that a notification was stored. */
        @Override
        public void asOwner() {
            owner.awaitAnswered();
            owner.ask();
            var notifications =
                    await().atMost(Duration.ofMinutes(1))
                            .until(this::storedNotifications, all -> !all.isEmpty());
            phone = DeviceClient.enter(owner.phone, CAPABILITIES);
            phone.send("notification_ack", "ack", ids(notifications));
            await().atMost(Duration.ofMinutes(1)).until(() -> storedNotifications().isEmpty());
        }

        private Map<String, Object> ids(Set<String> notifications) {
            assertThat(notifications).isNotEmpty();
            return Map.of("notification_ids", notifications);
        }

        private Set<String> storedNotifications() {
            var database = "jdbc:sqlite:" + owner.server.data().resolve("ash.db");
            var found = new HashSet<String>();
            try (var connection = DriverManager.getConnection(database);
                    var query =
                            connection.prepareStatement(
                                    "SELECT id FROM notifications WHERE device_id = ?")) {
                query.setString(1, owner.phone.id());
                try (var rows = query.executeQuery()) {
                    while (rows.next()) {
                        found.add(rows.getString(1));
                    }
                }
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
            return found;
        }
    }

    @Override
    public void close() {
        foreigner.close();
        if (phone != null) {
            phone.close();
        }
    }
}
