package dev.ash.server.gateway;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Titles of sessions: the first line of the first prompt. */
final class FirstPrompts implements SessionTitles {
    private static final int MAX_TITLE = 80;
    private static final int MAX_CACHED = 2000;

    /** Only events of the start and of resumes precede the first prompt. */
    private static final int EVENTS = 50;

    private final SessionEvents events;
    private final Map<SessionId, String> cached = new Cache(); // guarded by itself

    private static final class Cache extends LinkedHashMap<SessionId, String> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<SessionId, String> eldest) {
            return size() > MAX_CACHED;
        }
    }

    FirstPrompts(SessionEvents events) {
        this.events = events;
    }

    @Override
    public Optional<String> of(SessionId session) {
        synchronized (cached) {
            var known = cached.get(session);
            if (known != null) {
                return Optional.of(known);
            }
        }
        var title = read(session).filter(text -> !text.isEmpty());
        title.ifPresent(
                text -> {
                    synchronized (cached) {
                        cached.put(session, text);
                    }
                });
        return title;
    }

    private Optional<String> read(SessionId session) {
        var found = new String[1];
        try {
            events.readWithoutWaiting(
                    session,
                    0,
                    EVENTS,
                    event -> {
                        if (event.type() == EventType.PROMPT) {
                            found[0] = title(event);
                        }
                        return event.type() != EventType.PROMPT;
                    });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the connection is closing
        }
        return Optional.ofNullable(found[0]);
    }

    private static String title(LoggedEvent prompt) {
        try {
            var content = JsonObject.parse(prompt.data()).raw("content").orElse(RawJson.NULL);
            return firstLine(text(content), MAX_TITLE);
        } catch (MalformedJsonException e) {
            return "";
        }
    }

    /** A prompt is a text, or blocks of which some are texts. */
    private static String text(RawJson content) throws MalformedJsonException {
        var text = JsonObject.text(content);
        if (text.isPresent()) {
            return text.get();
        }
        for (var element : JsonObject.elements(content)) {
            var said = JsonObject.parse(element).string("text").orElse("");
            if (!said.isBlank()) {
                return said;
            }
        }
        return "";
    }

    /** The first line that is not blank, without control characters. */
    static String firstLine(String text, int max) {
        var line = text.strip().lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
        return Excerpt.of(line.strip(), max);
    }
}
