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

/** What must hold once a run has come to rest. */
final class Verdict {
    private static final List<String> ONE_TURN =
            List.of("system", "assistant", "assistant", "user", "assistant", "result");

    private final Plan plan;
    private final Host host;
    private final List<Subject> subjects;

    Verdict(Plan plan, Host host, List<Subject> subjects) {
        this.plan = plan;
        this.host = host;
        this.subjects = subjects;
    }

    /** The log of every session, also of those that no client knows of. */
    Map<String, List<Frame>> replay() {
        var ids = host.call(api -> api.get("/api/sessions").expect(200).at("/sessions"));
        var logs = new LinkedHashMap<String, List<Frame>>();
        ids.forEach(
                session -> {
                    var id = session.path("id").asString();
                    logs.put(id, host.call(api -> read(api, id)));
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

    /** Who watched saw all of it, each event once and byte for byte as the log has it. */
    void watchersSaw(Map<String, List<Frame>> logs) {
        for (var subject : subjects) {
            var log = logs.get(subject.id());
            host.await(
                    "the watcher has seen all", () -> subject.watch().seen().size() >= log.size());
            assertThat(subject.watch().seen()).as("what was watched").isEqualTo(log);
        }
    }

    void logsHold(Map<String, List<Frame>> logs) {
        for (var subject : subjects) {
            prompts(subject);
            messages(subject, logs.get(subject.id()));
        }
        var ledger = host.ledger();
        assertThat(
                        ledger.rows(
                                "SELECT session_id, count(*), min(seq), max(seq) FROM events GROUP BY"
                                        + " session_id HAVING min(seq) <> 1 OR max(seq) <> count(*)"))
                .as("logs with gaps")
                .isEmpty();
        assertThat(
                        ledger.rows(
                                "SELECT t.id, t.status FROM turns t WHERE 1 <> (SELECT count(*) FROM"
                                        + " events e WHERE e.turn_id = t.id AND e.type = 'done')"))
                .as("turns without exactly one done")
                .isEmpty();
        if (plan.isMigration()) {
            assertThat(ledger.rows("SELECT data FROM events WHERE session_id = 'session-of-v1'"))
                    .isEqualTo(List.of(List.of("{}")));
        }
    }

    private void prompts(Subject subject) {
        var logged =
                host
                        .ledger()
                        .rows(
                                "SELECT data FROM events WHERE type = 'prompt' AND session_id = ? ORDER"
                                        + " BY seq",
                                subject.id())
                        .stream()
                        .map(List::getFirst)
                        .map(Verdict::command)
                        .toList();
        assertThat(logged).as("the prompts in the log").isEqualTo(subject.prompts());
    }

    /** Wherever it stands in the prompt: news about answers may stand before it. */
    private static String command(String data) {
        int from = data.indexOf("demo: run ");
        return data.substring(from, data.indexOf('"', from));
    }

    private void messages(Subject subject, List<Frame> log) {
        var uuids = new HashSet<String>();
        var types = new ArrayList<String>();
        for (var frame : log) {
            if (frame.event().equals("message")) {
                assertThat(uuids.add(frame.json().path("uuid").asString()))
                        .as("a message comes once: " + frame)
                        .isTrue();
                types.add(frame.type());
            }
        }
        if (host.bridgesDied()) {
            return;
        }
        assertThat(log).as("no turn failed").noneMatch(frame -> frame.event().equals("error"));
        var expected = new ArrayList<String>();
        subject.prompts().forEach(_ -> expected.addAll(ONE_TURN));
        // A turn that was laid aside begins a second time with a system message.
        var again = Collections.indexOfSubList(types, List.of("assistant", "system", "user"));
        if (again >= 0) {
            types.remove(again + 1);
        }
        assertThat(types).as("the messages of all turns").isEqualTo(expected);
    }

    /** Each command ran once; or not, where its bridge was killed under it. */
    void effectsHold() throws IOException {
        for (var subject : subjects) {
            var file =
                    host.folder()
                            .data()
                            .resolve("sandboxes")
                            .resolve(subject.sandbox())
                            .resolve("workspace/effects.txt");
            var lines = Files.exists(file) ? Files.readAllLines(file) : List.<String>of();
            if (host.bridgesDied()) {
                assertThat(lines).as("effects").doesNotHaveDuplicates();
                // "contains" says no where nothing is looked for and something is there.
                if (!lines.isEmpty()) {
                    assertThat(subject.effects()).as("effects").containsSubsequence(lines);
                }
            } else {
                assertThat(lines).as("effects").isEqualTo(subject.effects());
            }
        }
    }
}
