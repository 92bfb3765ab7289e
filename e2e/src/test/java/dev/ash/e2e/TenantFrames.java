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

/** Frames of a device that name a session, a question or a notification of another tenant. */
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
    private String asked = ""; // the question of the pair that was answered last

    TenantFrames(Tenant owner, Tenant foreigner, TenantPairs pairs) {
        this.owner = owner;
        this.pairs = pairs;
        this.foreigner = DeviceClient.enter(foreigner.phone, CAPABILITIES);
    }

    List<TenantProbe> probes() {
        var session = owner.session;
        return List.of(
                new Notified(),
                new Framed("session_start", session, () -> RESUME, "session_ready"),
                new Framed("session_start", owner.asking, () -> RESUME, "session_ready"),
                new Framed("session_start", pairs.worker(), () -> RESUME, "session_ready"),
                new Framed("history_request", session, Map::of, "history_response"),
                new Framed("git_status_request", session, Map::of, "git_status_response"),
                new Framed("git_diff", session, Map::of, "git_diff_response"),
                new Framed("git_commit", session, () -> COMMIT, "git_status_response"),
                new Framed("file_list", session, Map::of, "file_list_response"),
                new Framed(
                        "file_read",
                        session,
                        () -> Map.of("path", "notes.txt"),
                        "file_read_response"),
                new Unanswered(
                        "message",
                        session,
                        () -> Map.of("content", "by frame", "role", "user"),
                        () -> text(session, "/messages").contains("by frame")),
                new Framed("interrupt", session, Map::of, "interrupted"),
                new Framed(
                        "permission_mode",
                        session,
                        () -> Map.of("mode", "ask"),
                        "permission_mode_changed"),
                new Unanswered("approval_response", owner.asking, this::approved, this::isDecided),
                new Unanswered(
                        "plan_review_response", owner.asking, this::askedAgain, this::isDecided),
                new Unanswered(
                        "question_response", pairs.worker(), this::goOn, this::isQuestionDecided),
                new Unanswered(
                        "session_end",
                        owner.asking,
                        Map::of,
                        () -> text(owner.asking, "").contains("\"ended\"")));
    }

    private String text(ForeignId session, String what) {
        return owner.api.get("/api/sessions/" + session.value() + what).expect(200).text();
    }

    private Map<String, Object> approved() {
        return Map.of("tool_call_id", owner.toolCall(), "decision", "approved");
    }

    /** Of the owner, whose first question was approved: it asks once more. */
    private Map<String, Object> askedAgain() {
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
        return isDecided(asked);
    }

    private Map<String, Object> goOn() {
        var question = pairs.awaitQuestion();
        asked = question.path("id").asString();
        var text = question.at("/input/questions/0/question").asString();
        return Map.of(
                "tool_call_id",
                question.path("id").asString(),
                "answers",
                Map.of(text, "Another round"));
    }

    /** A frame about a session, and the type of the frame that answers its owner. */
    private class Framed implements TenantProbe {
        final String type;
        final ForeignId session;
        private final Supplier<Map<String, Object>> payload;
        private final String answer;

        Framed(
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
        public String place() {
            return "frame " + type;
        }

        Map<String, Object> naming(String id) {
            var named = new HashMap<>(payload.get());
            named.put("session_id", id);
            return named;
        }

        @Override
        public void asForeigner() {
            var random = session.random();
            var answered = foreigner.request(type, naming(session.value()));
            var other = foreigner.request(type, naming(random));
            assertThat(answered.path("type").asString()).as("%s", answered).isEqualTo("error");
            assertThat(seen(answered, session.value())).isEqualTo(seen(other, random));
        }

        private static String seen(JsonNode frame, String id) {
            return frame.path("payload").toString().replace(id, "<id>");
        }

        @Override
        public void asOwner() {
            var shown = phone.request(type, naming(session.value()));
            assertThat(shown.path("type").asString()).as("%s", shown).isEqualTo(answer);
        }
    }

    /** One that is answered only where it fails; what it does shows elsewhere. */
    private final class Unanswered extends Framed {
        private final Callable<Boolean> effect;

        Unanswered(
                String type,
                ForeignId session,
                Supplier<Map<String, Object>> payload,
                Callable<Boolean> effect) {
            super(type, session, payload, "");
            this.effect = effect;
        }

        @Override
        public void asOwner() {
            phone.send(type, "of-its-owner", naming(session.value()));
            await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20)).until(effect);
        }
    }

    /** No frame answers this one: it takes effect in the database alone. */
    private final class Notified implements TenantProbe {
        @Override
        public String place() {
            return "frame notification_ack";
        }

        @Override
        public void asForeigner() {
            foreigner.send("notification_ack", "ack", ids(kept()));
            // Requests without a session are served one after the other.
            assertThat(foreigner.request("interrupt", Map.of()).path("type").asString())
                    .isEqualTo("error");
        }

        /** The device connects only now, so that it was notified of a question. */
        @Override
        public void asOwner() {
            owner.awaitAnswered();
            owner.ask();
            var notifications =
                    await().atMost(Duration.ofMinutes(1)).until(this::kept, all -> !all.isEmpty());
            phone = DeviceClient.enter(owner.phone, CAPABILITIES);
            phone.send("notification_ack", "ack", ids(notifications));
            await().atMost(Duration.ofMinutes(1)).until(() -> kept().isEmpty());
        }

        private Map<String, Object> ids(Set<String> notifications) {
            assertThat(notifications).isNotEmpty();
            return Map.of("notification_ids", notifications);
        }

        private Set<String> kept() {
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
