package dev.ash.server.session.recovery;

import dev.ash.protocol.SessionId;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What clients were told, and can hold the server to. Guarded by itself. */
final class CrashHistory {
    /** A prompt that was accepted: its session, its turn and its place among its client's. */
    record Accepted(SessionId session, String turn) {}

    /** A copy, and the last event of its original that it holds. */
    record Fork(SessionId original, SessionId copy) {}

    private final Map<String, Accepted> accepted = new LinkedHashMap<>();
    private final Map<SessionId, List<LoggedEvent>> seen = new HashMap<>();
    private final Map<String, String> decisions = new HashMap<>();
    private final List<Fork> forks = new ArrayList<>();
    private final Map<String, SessionId> created = new HashMap<>();
    private final Set<SessionId> stopped = new HashSet<>();
    private final Set<String> over = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();

    synchronized void accepted(String label, SessionId session, String turn) {
        var before = accepted.put(label, new Accepted(session, turn));
        if (before != null && !before.turn().equals(turn)) {
            wrong("prompt " + label + " was accepted as " + before.turn() + " and as " + turn);
        }
    }

    /** Returns whether it is the next one. */
    synchronized void saw(SessionId session, LoggedEvent event) {
        var events = seen.computeIfAbsent(session, _ -> new ArrayList<>());
        if (event.seq() != events.size() + 1) {
            wrong("a subscription saw " + event.seq() + " after " + events.size());
        }
        events.add(event);
        if (event.type() == EventType.DONE && event.turn() != null) {
            over.add(event.turn().value());
        }
        notifyAll();
    }

    synchronized long lastSeen(SessionId session) {
        return seen.getOrDefault(session, List.of()).size();
    }

    synchronized boolean awaitOver(String turn, long millis) throws InterruptedException {
        if (!over.contains(turn)) {
            wait(millis);
        }
        return over.contains(turn);
    }

    synchronized void decided(String approval, String decision) {
        if (decisions.put(approval, decision) != null) {
            wrong("two answers to approval " + approval + " were accepted");
        }
    }

    synchronized void created(String key, SessionId session) {
        var before = created.put(key, session);
        if (before != null && !before.equals(session)) {
            wrong("key " + key + " made two sessions");
        }
    }

    synchronized void forked(SessionId original, SessionId copy) {
        forks.add(new Fork(original, copy));
    }

    /** Someone asked for its stop, which ends turns, whether that was heard or not. */
    synchronized void stopped(SessionId session) {
        stopped.add(session);
    }

    synchronized boolean wasStopped(SessionId session) {
        return stopped.contains(session);
    }

    synchronized void wrong(String what) {
        wrong.add(what);
    }

    synchronized List<String> wrong() {
        return List.copyOf(wrong);
    }

    synchronized Map<String, Accepted> accepted() {
        return new LinkedHashMap<>(accepted);
    }

    synchronized Map<SessionId, List<LoggedEvent>> seen() {
        var copy = new HashMap<SessionId, List<LoggedEvent>>();
        seen.forEach((session, events) -> copy.put(session, List.copyOf(events)));
        return copy;
    }

    synchronized Map<String, String> decisions() {
        return Map.copyOf(decisions);
    }

    synchronized List<Fork> forks() {
        return List.copyOf(forks);
    }

    synchronized Set<SessionId> sessions() {
        return Set.copyOf(created.values());
    }
}
