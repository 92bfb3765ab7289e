package dev.ash.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks the invariants of a crash run after its sessions are idle. */
final class CrashInvariants {
    private static final List<String> ONE_TURN =
            List.of("system", "assistant", "assistant", "user", "assistant", "result");

    private final Plan plan;
    private final CrashServers servers;
    private final List<TestedSession> sessions;

    CrashInvariants(Plan plan, CrashServers servers, List<TestedSession> sessions) {
        this.plan = plan;
        this.servers = servers;
        this.sessions = sessions;
    }

    /** Returns the logs of all sessions, including those unknown to the client. */
    Map<String, List<Frame>> replay() {
        var ids = servers.call(api -> api.get("/api/sessions").expect(200).at("/sessions"));
        var logs = new LinkedHashMap<String, List<Frame>>();
        ids.forEach(
                session -> {
                    var id = session.path("id").asString();
                    logs.put(id, servers.call(api -> read(api, id)));
                });
        return logs;
    }

    private static List<Frame> read(dev.ash.e2e.Api api, String session) {
        var frames = new ArrayList<Frame>();
        try (var stream = api.follow("/api/sessions/" + session + "/stream?until=idle")) {
            for (var frame = stream.next(); frame != null; frame = stream.next()) {
                if (frame.id() > 0) {
                    frames.add(frame);
                }
            }
        }
        return frames;
    }

    /** Checks that subscribers received each event once and byte for byte as logged. */
    void assertSubscribersReceived(Map<String, List<Frame>> logs) {
        for (var session : sessions) {
            var log = logs.get(session.id());
            servers.await(
                    "the subscriber has received all events",
                    () -> session.subscriber().events().size() >= log.size());
            assertThat(session.subscriber().events()).as("events of the subscriber").isEqualTo(log);
        }
    }

    void assertLogs(Map<String, List<Frame>> logs) {
        for (var session : sessions) {
            prompts(session);
            messages(session, logs.get(session.id()));
        }
        var database = servers.database();
        assertThat(
                        database.rows(
                                "SELECT session_id, count(*), min(seq), max(seq) FROM events GROUP BY"
                                        + " session_id HAVING min(seq) <> 1 OR max(seq) <> count(*)"))
                .as("logs with gaps")
                .isEmpty();
        assertThat(
                        database.rows(
                                "SELECT t.id, t.status FROM turns t WHERE 1 <> (SELECT count(*) FROM"
                                        + " events e WHERE e.turn_id = t.id AND e.type = 'done')"))
                .as("turns without exactly one done")
                .isEmpty();
        if (plan.isMigration()) {
            assertThat(database.rows("SELECT data FROM events WHERE session_id = 'session-of-v1'"))
                    .isEqualTo(List.of(List.of("{}")));
        }
    }

    private void prompts(TestedSession session) {
        var logged =
                servers
                        .database()
                        .rows(
                                "SELECT data FROM events WHERE type = 'prompt' AND session_id = ? ORDER"
                                        + " BY seq",
                                session.id())
                        .stream()
                        .map(List::getFirst)
                        .map(CrashInvariants::command)
                        .toList();
        assertThat(logged).as("logged prompts").isEqualTo(session.prompts());
    }

    /** Finds the command anywhere in the prompt, because notices about answers may precede it. */
    private static String command(String data) {
        int from = data.indexOf("demo: run ");
        return data.substring(from, data.indexOf('"', from));
    }

    private void messages(TestedSession session, List<Frame> log) {
        var uuids = new HashSet<String>();
        var types = new ArrayList<String>();
        for (var frame : log) {
            if (frame.event().equals("message")) {
                assertThat(uuids.add(frame.json().path("uuid").asString()))
                        .as("message is unique: " + frame)
                        .isTrue();
                types.add(frame.type());
            }
        }
        if (servers.bridgesKilled()) {
            return;
        }
        assertThat(log).as("failed turns").noneMatch(frame -> frame.event().equals("error"));
        var expected = new ArrayList<String>();
        session.prompts().forEach(_ -> expected.addAll(ONE_TURN));
        // A deferred turn starts a second time with a system message.
        var again = Collections.indexOfSubList(types, List.of("assistant", "system", "user"));
        if (again >= 0) {
            types.remove(again + 1);
        }
        assertThat(types).as("messages of all turns").isEqualTo(expected);
    }

    /** Checks that each command ran once, or at most once if its bridge was killed. */
    void assertEffects() throws IOException {
        for (var session : sessions) {
            var file =
                    servers.folder()
                            .data()
                            .resolve("sandboxes")
                            .resolve(session.sandbox())
                            .resolve("workspace/effects.txt");
            var lines = Files.exists(file) ? Files.readAllLines(file) : List.<String>of();
            if (servers.bridgesKilled()) {
                assertThat(lines).as("effects").doesNotHaveDuplicates();
                // containsSubsequence rejects an empty argument.
                if (!lines.isEmpty()) {
                    assertThat(session.effects()).as("effects").containsSubsequence(lines);
                }
            } else {
                assertThat(lines).as("effects").isEqualTo(session.effects());
            }
        }
    }
}
