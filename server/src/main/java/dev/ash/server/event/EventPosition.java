package dev.ash.server.event;

import dev.ash.protocol.ApiException;
import java.util.Optional;

/**
 * Where a client wants to go on: after this event. {@code ?after=} speaks before the {@code
 * Last-Event-ID} that a browser sends by itself. A number that the session has not reached is no
 * error: {@link SessionEvents#watch} takes it for the end.
 */
public final class EventPosition {
    private static final int MAX_DIGITS = 18; // of every number that fits

    public static long parse(Optional<String> after, Optional<String> lastEventId) {
        return after.isPresent()
                ? parse("after", after.get())
                : parse("Last-Event-ID", lastEventId.filter(id -> !id.isEmpty()).orElse("0"));
    }

    private static long parse(String name, String text) {
        if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw ApiException.invalid(
                    name, "must be the id of an event: a whole number of at least 0");
        }
        return text.length() > MAX_DIGITS ? Long.MAX_VALUE : Long.parseLong(text);
    }

    private EventPosition() {}
}
