package dev.ash.server.session.recovery;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.server.session.recovery.CrashTable.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Holds what is stored and what happened against what clients were told. */
final class CrashCheck {
    private final CrashHistory history;
    private final ModelHost host;
    private final CrashTable table;
    private final List<Event> events;
    private final Map<String, List<Event>> logs;
    private final Map<String, Map<String, Object>> turns = new HashMap<>();
    private final Map<String, String> sandboxes = new HashMap<>();

    CrashCheck(CrashRun run, CrashServer server) {
        this.history = run.history();
        this.host = run.host();
        this.table = new CrashTable(server.database);
        this.events = table.events();
        this.logs = events.stream().collect(Collectors.groupingBy(Event::session));
        table.rows("SELECT id, session_id, status, query IS NOT NULL own FROM turns")
                .forEach(row -> turns.put((String) row.get("id"), row));
        table.rows("SELECT id, sandbox_id FROM sessions")
                .forEach(
                        row ->
                                sandboxes.put(
                                        (String) row.get("id"), (String) row.get("sandbox_id")));
    }

    void run() {
        logs.values().forEach(this::gapless);
        history.seen().forEach((session, seen) -> prefixIntact(session.value(), seen));
        turns.keySet().forEach(this::oneDone);
        logs.forEach(this::oneTurnAtATime);
        prompts();
        tools();
        decisions();
        host.all().forEach(this::delivered);
        forks();
    }

    private void wrong(String format, Object... values) {
        history.wrong(format.formatted(values));
    }

    private void gapless(List<Event> log) {
        for (int i = 0; i < log.size(); i++) {
            if (log.get(i).seq() != i + 1) {
                wrong("event %d stands where %d should be: %s", log.get(i).seq(), i + 1, log);
                return;
            }
        }
    }

    private void prefixIntact(String session, List<dev.ash.server.event.LoggedEvent> seen) {
        var log = logs.getOrDefault(session, List.of());
        if (seen.size() > log.size()) {
            wrong("%d events were shown of which %d are stored", seen.size(), log.size());
            return;
        }
        for (int i = 0; i < seen.size(); i++) {
            var shown = seen.get(i);
            var stored = log.get(i);
            if (!shown.data().toString().equals(stored.data())
                    || !shown.type().name().equalsIgnoreCase(stored.type())) {
                wrong("shown was %s, stored is %s", shown, stored);
            }
        }
    }

    private boolean isOwn(String turn) {
        return turns.containsKey(turn) && ((Number) turns.get(turn).get("own")).intValue() == 1;
    }

    private String status(String turn) {
        return turns.containsKey(turn) ? (String) turns.get(turn).get("status") : "missing";
    }

    private long count(String turn, String type) {
        return events.stream().filter(e -> e.turn().equals(turn) && e.type().equals(type)).count();
    }

    private void oneDone(String turn) {
        if (count(turn, "done") != 1) {
            wrong("turn %s (%s) has %d done", turn, status(turn), count(turn, "done"));
        }
        if (isOwn(turn) && count(turn, "prompt") != 1 && !wasStopped(turn)) {
            wrong("turn %s (%s) has %d prompts", turn, status(turn), count(turn, "prompt"));
        }
    }

    /** The stop of a session ends what waits in its queue, which was never begun. */
    private boolean wasStopped(String turn) {
        return history.wasStopped(new SessionId((String) turns.get(turn).get("session_id")))
                && status(turn).equals("error");
    }

    private void oneTurnAtATime(String session, List<Event> log) {
        var open = new HashSet<String>();
        var over = new HashSet<String>();
        for (var event : log) {
            if (over.contains(event.turn()) && !event.type().startsWith("approval")) {
                wrong("%s comes after the done of its turn: %s", event, log);
            }
            if (event.type().equals("prompt") && isOwn(event.turn())) {
                if (!open.isEmpty()) {
                    wrong("%s begins before the end of %s: %s", event, open, log);
                }
                open.add(event.turn());
            }
            if (event.type().equals("done")) {
                open.remove(event.turn());
                over.add(event.turn());
            }
            if (event.type().equals("message") && event.turn().equals("null")) {
                wrong("%s belongs to no turn", event);
            }
        }
    }

    private void prompts() {
        var runs = new HashMap<String, Integer>();
        host.effects().prompts().forEach(run -> runs.merge(run.label(), 1, Integer::sum));
        var labels = new HashMap<String, Set<String>>();
        for (var log : logs.values()) {
            int last = -1;
            for (var event : log) {
                if (event.type().equals("prompt")) {
                    var label = ModelScript.of(event.data()).label();
                    int number = Integer.parseInt(label.substring(label.indexOf('.') + 1));
                    if (number <= last) {
                        wrong("prompt %s was logged after %d", label, last);
                    }
                    last = number;
                    if (isOwn(event.turn())) {
                        labels.computeIfAbsent(label, _ -> new HashSet<>()).add(event.turn());
                    }
                }
            }
        }
        labels.forEach(
                (label, made) -> {
                    if (made.size() != 1) {
                        wrong("prompt %s made %d turns", label, made.size());
                    }
                    made.forEach(turn -> ran(label, turn, runs.getOrDefault(label, 0)));
                });
        history.accepted()
                .forEach(
                        (label, accepted) -> {
                            if (!labels.getOrDefault(label, Set.of()).contains(accepted.turn())
                                    && !wasStopped(accepted.turn())) {
                                wrong("accepted prompt %s is not in the log", label);
                            }
                        });
        inOrder();
    }

    private void ran(String label, String turn, int times) {
        var session = (String) turns.get(turn).get("session_id");
        boolean failed = status(turn).equals("error");
        if (times > 1 || (times == 0 && !failed)) {
            wrong("prompt %s, whose turn is %s, ran %d times", label, status(turn), times);
        }
        if (failed && !history.wasStopped(new SessionId(session)) && !lostABridge(session)) {
            wrong("turn %s of prompt %s failed though its bridge lived", turn, label);
        }
    }

    private boolean lostABridge(String session) {
        var sandbox = sandboxes.get(session);
        return host.all().stream()
                .anyMatch(
                        bridge ->
                                bridge.sandbox().equals(sandbox)
                                        && bridge.end() == ModelBridge.End.BY_FATE);
    }

    /** Of one session; others may run in between. */
    private void inOrder() {
        var last = new HashMap<String, Integer>();
        for (var run : host.effects().prompts()) {
            if (run.label().equals("engine") || !turns.containsKey(run.turn())) {
                continue;
            }
            var session = (String) turns.get(run.turn()).get("session_id");
            int number = Integer.parseInt(run.label().substring(run.label().indexOf('.') + 1));
            var before = last.put(session, number);
            if (before != null && before >= number) {
                wrong("prompt %s ran after %d", run.label(), before);
            }
        }
    }

    private void tools() {
        var calls = new HashSet<String>();
        var answers = new HashMap<String, Map<String, Object>>();
        table.rows("SELECT * FROM approvals")
                .forEach(row -> answers.put((String) row.get("tool_use_id"), row));
        for (var run : host.effects().tools()) {
            if (!calls.add(run.call())) {
                wrong("call %s ran twice", run.call());
            }
            var session =
                    turns.containsKey(run.turn()) ? turns.get(run.turn()).get("session_id") : "";
            if (asks((String) session)) {
                permitted(run, answers.get(run.call()));
            }
        }
        for (var answer : answers.values()) {
            var turn = String.valueOf(answer.get("turn_id"));
            boolean allowed = Set.of("approved", "modified").contains(answer.get("status"));
            if (allowed
                    && status(turn).equals("done")
                    && count(turn, "error") == 0
                    && !interrupted(turn)
                    && !calls.contains(answer.get("tool_use_id"))) {
                wrong("an approved call did not run: %s", answer);
            }
        }
    }

    private boolean interrupted(String turn) {
        return events.stream()
                .anyMatch(e -> e.turn().equals(turn) && e.data().contains("interrupted"));
    }

    private boolean asks(String session) {
        return table.rows("SELECT permission_mode m FROM sessions WHERE id = '" + session + "'")
                .equals(List.of(Map.of("m", "ask")));
    }

    private void permitted(
            ModelEffects.ToolRun run, @org.jspecify.annotations.Nullable Map<String, Object> row) {
        if (row == null) {
            wrong("%s has no approval", run);
            return;
        }
        var input =
                switch ((String) row.get("status")) {
                    case "approved" -> text(row.get("input"));
                    case "modified" -> text(row.get("decided_input"));
                    default -> "nothing, as it was " + row.get("status");
                };
        if (!input.equals(run.input())) {
            wrong("%s was to run with %s", run, input);
        }
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, java.nio.charset.StandardCharsets.UTF_8);
    }

    private void decisions() {
        var stored = new HashMap<String, Object>();
        table.rows("SELECT id, status FROM approvals")
                .forEach(row -> stored.put((String) row.get("id"), row.get("status")));
        history.decisions()
                .forEach(
                        (id, decision) -> {
                            if (!decision.equals(stored.get(id))) {
                                wrong("%s was %s, is %s", id, decision, stored.get(id));
                            }
                        });
        events.stream()
                .filter(event -> event.type().equals("approval_resolved"))
                .collect(Collectors.groupingBy(e -> id(e), Collectors.counting()))
                .forEach(
                        (id, times) -> {
                            if (times > 1 && stored.containsKey(id)) {
                                wrong("approval %s was resolved %d times", id, times);
                            }
                        });
    }

    private static String id(Event event) {
        return event.session()
                + CrashClient.text(dev.ash.protocol.json.RawJson.of(event.data()), "id");
    }

    /** Everything a bridge said that must be in the log is, once, in order, in its turn. */
    private void delivered(ModelBridge bridge) {
        var logged = new HashMap<Long, Event>();
        events.stream()
                .filter(event -> event.bridge().equals(bridge.nonce()))
                .forEach(event -> logged.put(event.n(), event));
        long known =
                Math.max(bridge.acked(), logged.keySet().stream().max(Long::compare).orElse(0L));
        var session =
                sandboxes.entrySet().stream()
                        .filter(entry -> entry.getValue().equals(bridge.sandbox()))
                        .map(Map.Entry::getKey)
                        .findFirst();
        boolean whole =
                bridge.end() == null
                        || (bridge.end() == ModelBridge.End.IN_ORDER
                                && session.isPresent()
                                && !history.wasStopped(new SessionId(session.get())));
        var lost = new ArrayList<EventFrame>();
        for (var frame : bridge.said()) {
            if ((whole || frame.n() <= known) && isLogged(frame.event())) {
                var event = logged.get(frame.n());
                if (event == null && frame.turnId() != null) {
                    lost.add(frame);
                } else if (event != null && !event.turn().equals(frame.turnId())) {
                    wrong("%s is logged as %s", frame, event);
                }
            }
        }
        if (!lost.isEmpty()) {
            wrong("lost of bridge %s (%s): %s", bridge.nonce(), bridge.end(), lost);
        }
    }

    private static boolean isLogged(BridgeEvent event) {
        return switch (event) {
            case BridgeEvent.Message(var data) -> !data.toString().contains("stream_event");
            case BridgeEvent.Failed _, BridgeEvent.Done _ -> true;
            default -> false;
        };
    }

    private void forks() {
        for (var fork : history.forks()) {
            var copy = logs.getOrDefault(fork.copy().value(), List.of());
            var original = logs.getOrDefault(fork.original().value(), List.of());
            for (int i = 0; i < copy.size() && !copy.get(i).data().contains("forked"); i++) {
                if (!copy.get(i).data().equals(original.get(i).data())) {
                    wrong("%s was copied as %s", original.get(i), copy.get(i));
                }
            }
            if (copy.stream().noneMatch(event -> event.data().contains("forked"))) {
                wrong("the copy %s has no log", fork.copy());
            }
        }
    }
}
