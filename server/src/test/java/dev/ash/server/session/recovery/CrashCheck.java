package dev.ash.server.session.recovery;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.server.session.recovery.StoredState.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Compares the stored data and the side effects of a run with the responses that clients got. */
final class CrashCheck {
    private final CrashHistory history;
    private final FakeHost host;
    private final StoredState stored;
    private final List<Event> events;
    private final Map<String, List<Event>> logs;
    private final Map<String, Map<String, Object>> turns = new HashMap<>();
    private final Map<String, String> sandboxes = new HashMap<>();

    CrashCheck(CrashRun run, CrashServer server) {
        this.history = run.history();
        this.host = run.host();
        this.stored = new StoredState(server.database);
        this.events = stored.events();
        this.logs = events.stream().collect(Collectors.groupingBy(Event::session));
        stored.rows("SELECT id, session_id, status, query IS NOT NULL client FROM turns")
                .forEach(row -> turns.put((String) row.get("id"), row));
        stored.rows("SELECT id, sandbox_id FROM sessions")
                .forEach(
                        row ->
                                sandboxes.put(
                                        (String) row.get("id"), (String) row.get("sandbox_id")));
    }

    void run() {
        logs.values().forEach(this::checkNumbering);
        history.seen().forEach((session, seen) -> checkSeenEvents(session.value(), seen));
        turns.keySet().forEach(this::checkSingleDone);
        logs.forEach(this::checkSequentialTurns);
        checkPrompts();
        checkTools();
        checkDecisions();
        host.all().forEach(this::checkDelivered);
        checkForks();
    }

    private void addViolation(String format, Object... values) {
        history.addViolation(format.formatted(values));
    }

    private void checkNumbering(List<Event> log) {
        for (int i = 0; i < log.size(); i++) {
            if (log.get(i).seq() != i + 1) {
                addViolation("event %d instead of %d: %s", log.get(i).seq(), i + 1, log);
                return;
            }
        }
    }

    private void checkSeenEvents(String session, List<dev.ash.server.event.LoggedEvent> seen) {
        var log = logs.getOrDefault(session, List.of());
        if (seen.size() > log.size()) {
            addViolation("%d events were published, but %d are stored", seen.size(), log.size());
            return;
        }
        for (int i = 0; i < seen.size(); i++) {
            var published = seen.get(i);
            var stored = log.get(i);
            if (!published.data().toString().equals(stored.data())
                    || !published.type().name().equalsIgnoreCase(stored.type())) {
                addViolation("published %s, stored %s", published, stored);
            }
        }
    }

    private boolean isClientTurn(String turn) {
        return turns.containsKey(turn) && ((Number) turns.get(turn).get("client")).intValue() == 1;
    }

    private String status(String turn) {
        return turns.containsKey(turn) ? (String) turns.get(turn).get("status") : "missing";
    }

    private long count(String turn, String type) {
        return events.stream().filter(e -> e.turn().equals(turn) && e.type().equals(type)).count();
    }

    private void checkSingleDone(String turn) {
        if (count(turn, "done") != 1) {
            addViolation("turn %s (%s) has %d done", turn, status(turn), count(turn, "done"));
        }
        if (isClientTurn(turn) && count(turn, "prompt") != 1 && !wasStopped(turn)) {
            addViolation("turn %s (%s) has %d prompts", turn, status(turn), count(turn, "prompt"));
        }
    }

    /** Stopping a session also ends its queued turns, which have no prompt in the log. */
    private boolean wasStopped(String turn) {
        return history.wasStopped(new SessionId((String) turns.get(turn).get("session_id")))
                && status(turn).equals("error");
    }

    private void checkSequentialTurns(String session, List<Event> log) {
        var open = new HashSet<String>();
        var ended = new HashSet<String>();
        for (var event : log) {
            if (ended.contains(event.turn()) && !event.type().startsWith("approval")) {
                addViolation("%s follows the done of its turn: %s", event, log);
            }
            if (event.type().equals("prompt") && isClientTurn(event.turn())) {
                if (!open.isEmpty()) {
                    addViolation("%s starts before the end of %s: %s", event, open, log);
                }
                open.add(event.turn());
            }
            if (event.type().equals("done")) {
                open.remove(event.turn());
                ended.add(event.turn());
            }
            if (event.type().equals("message") && event.turn().equals("null")) {
                addViolation("%s belongs to no turn", event);
            }
        }
    }

    private void checkPrompts() {
        var runs = new HashMap<String, Integer>();
        host.effects().prompts().forEach(run -> runs.merge(run.label(), 1, Integer::sum));
        var labels = new HashMap<String, Set<String>>();
        for (var log : logs.values()) {
            int last = -1;
            for (var event : log) {
                if (event.type().equals("prompt")) {
                    var label = TurnScript.of(event.data()).label();
                    int number = Integer.parseInt(label.substring(label.indexOf('.') + 1));
                    if (number <= last) {
                        addViolation("prompt %s was logged after %d", label, last);
                    }
                    last = number;
                    if (isClientTurn(event.turn())) {
                        labels.computeIfAbsent(label, _ -> new HashSet<>()).add(event.turn());
                    }
                }
            }
        }
        labels.forEach(
                (label, turnIds) -> {
                    if (turnIds.size() != 1) {
                        addViolation("prompt %s has %d turns", label, turnIds.size());
                    }
                    turnIds.forEach(
                            turn -> checkPromptRan(label, turn, runs.getOrDefault(label, 0)));
                });
        history.accepted()
                .forEach(
                        (label, accepted) -> {
                            if (!labels.getOrDefault(label, Set.of()).contains(accepted.turn())
                                    && !wasStopped(accepted.turn())) {
                                addViolation("accepted prompt %s is not in the log", label);
                            }
                        });
        checkExecutionOrder();
    }

    private void checkPromptRan(String label, String turn, int times) {
        var session = (String) turns.get(turn).get("session_id");
        boolean failed = status(turn).equals("error");
        if (times > 1 || (times == 0 && !failed)) {
            addViolation("prompt %s, whose turn is %s, ran %d times", label, status(turn), times);
        }
        if (failed && !history.wasStopped(new SessionId(session)) && !hasCrashedBridge(session)) {
            addViolation(
                    "turn %s of prompt %s failed although its bridge did not crash", turn, label);
        }
    }

    private boolean hasCrashedBridge(String session) {
        var sandbox = sandboxes.get(session);
        return host.all().stream()
                .anyMatch(
                        bridge ->
                                bridge.sandbox().equals(sandbox)
                                        && bridge.end() == FakeBridge.End.CRASHED);
    }

    /** Checks the order within each session. */
    private void checkExecutionOrder() {
        var last = new HashMap<String, Integer>();
        for (var run : host.effects().prompts()) {
            if (run.label().equals("engine") || !turns.containsKey(run.turn())) {
                continue;
            }
            var session = (String) turns.get(run.turn()).get("session_id");
            int number = Integer.parseInt(run.label().substring(run.label().indexOf('.') + 1));
            var before = last.put(session, number);
            if (before != null && before >= number) {
                addViolation("prompt %s ran after %d", run.label(), before);
            }
        }
    }

    private void checkTools() {
        var calls = new HashSet<String>();
        var answers = new HashMap<String, Map<String, Object>>();
        stored.rows("SELECT * FROM approvals")
                .forEach(row -> answers.put((String) row.get("tool_use_id"), row));
        for (var run : host.effects().tools()) {
            if (!calls.add(run.call())) {
                addViolation("call %s ran twice", run.call());
            }
            var session =
                    turns.containsKey(run.turn()) ? turns.get(run.turn()).get("session_id") : "";
            if (asksForApproval((String) session)) {
                checkPermitted(run, answers.get(run.call()));
            }
        }
        for (var answer : answers.values()) {
            var turn = String.valueOf(answer.get("turn_id"));
            boolean allowed = Set.of("approved", "modified").contains(answer.get("status"));
            if (allowed
                    && status(turn).equals("done")
                    && count(turn, "error") == 0
                    && !wasInterrupted(turn)
                    && !calls.contains(answer.get("tool_use_id"))) {
                addViolation("an approved call did not run: %s", answer);
            }
        }
    }

    private boolean wasInterrupted(String turn) {
        return events.stream()
                .anyMatch(e -> e.turn().equals(turn) && e.data().contains("interrupted"));
    }

    private boolean asksForApproval(String session) {
        return stored.rows("SELECT permission_mode m FROM sessions WHERE id = '" + session + "'")
                .equals(List.of(Map.of("m", "ask")));
    }

    private void checkPermitted(
            SideEffects.ToolRun run, @org.jspecify.annotations.Nullable Map<String, Object> row) {
        if (row == null) {
            addViolation("%s has no approval", run);
            return;
        }
        var input =
                switch ((String) row.get("status")) {
                    case "approved" -> text(row.get("input"));
                    case "modified" -> text(row.get("decided_input"));
                    default -> "nothing: its status is " + row.get("status");
                };
        if (!input.equals(run.input())) {
            addViolation("%s should have run with %s", run, input);
        }
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, java.nio.charset.StandardCharsets.UTF_8);
    }

    private void checkDecisions() {
        var statuses = new HashMap<String, Object>();
        stored.rows("SELECT id, status FROM approvals")
                .forEach(row -> statuses.put((String) row.get("id"), row.get("status")));
        history.decisions()
                .forEach(
                        (id, decision) -> {
                            if (!decision.equals(statuses.get(id))) {
                                addViolation(
                                        "decision on %s was %s, stored is %s",
                                        id, decision, statuses.get(id));
                            }
                        });
        events.stream()
                .filter(event -> event.type().equals("approval_resolved"))
                .collect(Collectors.groupingBy(e -> id(e), Collectors.counting()))
                .forEach(
                        (id, times) -> {
                            if (times > 1 && statuses.containsKey(id)) {
                                addViolation("approval %s was resolved %d times", id, times);
                            }
                        });
    }

    private static String id(Event event) {
        return event.session()
                + CrashClient.text(dev.ash.protocol.json.RawJson.of(event.data()), "id");
    }

    /** Checks that the log contains the events of a bridge, in their turns. */
    private void checkDelivered(FakeBridge bridge) {
        var logged = new HashMap<Long, Event>();
        events.stream()
                .filter(event -> event.bridge().equals(bridge.nonce()))
                .forEach(event -> logged.put(event.n(), event));
        long lastKnown =
                Math.max(bridge.acked(), logged.keySet().stream().max(Long::compare).orElse(0L));
        var session =
                sandboxes.entrySet().stream()
                        .filter(entry -> entry.getValue().equals(bridge.sandbox()))
                        .map(Map.Entry::getKey)
                        .findFirst();
        boolean isComplete =
                bridge.end() == null
                        || (bridge.end() == FakeBridge.End.SHUT_DOWN
                                && session.isPresent()
                                && !history.wasStopped(new SessionId(session.get())));
        var lost = new ArrayList<EventFrame>();
        for (var frame : bridge.sent()) {
            if ((isComplete || frame.n() <= lastKnown) && isLogged(frame.event())) {
                var event = logged.get(frame.n());
                if (event == null && frame.turnId() != null) {
                    lost.add(frame);
                } else if (event != null && !event.turn().equals(frame.turnId())) {
                    addViolation("%s is logged as %s", frame, event);
                }
            }
        }
        if (!lost.isEmpty()) {
            addViolation("lost events of bridge %s (%s): %s", bridge.nonce(), bridge.end(), lost);
        }
    }

    private static boolean isLogged(BridgeEvent event) {
        return switch (event) {
            case BridgeEvent.Message(var data) -> !data.toString().contains("stream_event");
            case BridgeEvent.Failed _, BridgeEvent.Done _ -> true;
            default -> false;
        };
    }

    private void checkForks() {
        for (var fork : history.forks()) {
            var copy = logs.getOrDefault(fork.copy().value(), List.of());
            var original = logs.getOrDefault(fork.original().value(), List.of());
            for (int i = 0; i < copy.size() && !copy.get(i).data().contains("forked"); i++) {
                if (!copy.get(i).data().equals(original.get(i).data())) {
                    addViolation("%s was copied as %s", original.get(i), copy.get(i));
                }
            }
            if (copy.stream().noneMatch(event -> event.data().contains("forked"))) {
                addViolation("fork %s has no log", fork.copy());
            }
        }
    }
}
