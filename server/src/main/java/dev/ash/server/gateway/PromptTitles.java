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

/** Derives the title of a session from the first line of its first prompt. */
final class PromptTitles implements SessionTitles {
    private static final int MAX_TITLE = 80;
    private static final int MAX_CACHED = 2000;

    /** Only events of the start and of resumes precede the first prompt. */
    private static final int MAX_EVENTS = 50;

    private final SessionEvents events;
    private final Map<SessionId, String> cached = new Cache(); // guarded by this map

    private static final class Cache extends LinkedHashMap<SessionId, String> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<SessionId, String> eldest) {
            return size() > MAX_CACHED;
        }
    }

    PromptTitles(SessionEvents events) {
        this.events = events;
    }

    @Override
    public Optional<String> of(SessionId session) {
        synchronized (cached) {
            var title = cached.get(session);
            if (title != null) {
                return Optional.of(title);
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
                    MAX_EVENTS,
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

    /** Returns the text of a prompt, or its first text block. */
    private static String text(RawJson content) throws MalformedJsonException {
        var text = JsonObject.text(content);
        if (text.isPresent()) {
            return text.get();
        }
        for (var element : JsonObject.elements(content)) {
            var block = JsonObject.parse(element).string("text").orElse("");
            if (!block.isBlank()) {
                return block;
            }
        }
        return "";
    }

    /** Returns the first line that is not blank, without control characters. */
    static String firstLine(String text, int max) {
        var line = text.strip().lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
        return Excerpt.of(line.strip(), max);
    }
}
