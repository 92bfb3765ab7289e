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

/** The responses and events that clients received. Guarded by its own lock. */
final class CrashHistory {
    /** The session and turn of an accepted prompt. */
    record Accepted(SessionId session, String turn) {}

    /** A fork and its original. */
    record Fork(SessionId original, SessionId copy) {}

    private final Map<String, Accepted> accepted = new LinkedHashMap<>();
    private final Map<SessionId, List<LoggedEvent>> seen = new HashMap<>();
    private final Map<String, String> decisions = new HashMap<>();
    private final List<Fork> forks = new ArrayList<>();
    private final Map<String, SessionId> created = new HashMap<>();
    private final Set<SessionId> stopped = new HashSet<>();
    private final Set<String> endedTurns = new HashSet<>();
    private final List<String> violations = new ArrayList<>();

    synchronized void accepted(String label, SessionId session, String turn) {
        var before = accepted.put(label, new Accepted(session, turn));
        if (before != null && !before.turn().equals(turn)) {
            addViolation(
                    "prompt " + label + " was accepted as " + before.turn() + " and as " + turn);
        }
    }

    /** Adds an event that a subscriber received; reports a violation if it is not the next one. */
    synchronized void addSeen(SessionId session, LoggedEvent event) {
        var events = seen.computeIfAbsent(session, _ -> new ArrayList<>());
        if (event.seq() != events.size() + 1) {
            addViolation("a subscriber received " + event.seq() + " after " + events.size());
        }
        events.add(event);
        if (event.type() == EventType.DONE && event.turn() != null) {
            endedTurns.add(event.turn().value());
        }
        notifyAll();
    }

    synchronized long lastSeenSeq(SessionId session) {
        return seen.getOrDefault(session, List.of()).size();
    }

    synchronized boolean awaitEnd(String turn, long millis) throws InterruptedException {
        if (!endedTurns.contains(turn)) {
            wait(millis);
        }
        return endedTurns.contains(turn);
    }

    synchronized void decided(String approval, String decision) {
        if (decisions.put(approval, decision) != null) {
            addViolation("two answers to approval " + approval + " were accepted");
        }
    }

    synchronized void created(String key, SessionId session) {
        var before = created.put(key, session);
        if (before != null && !before.equals(session)) {
            addViolation("key " + key + " created two sessions");
        }
    }

    synchronized void forked(SessionId original, SessionId copy) {
        forks.add(new Fork(original, copy));
    }

    /** Records that a stop, which ends turns, was requested, whether it succeeded or not. */
    synchronized void stopped(SessionId session) {
        stopped.add(session);
    }

    synchronized boolean wasStopped(SessionId session) {
        return stopped.contains(session);
    }

    synchronized void addViolation(String violation) {
        violations.add(violation);
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
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
