package dev.ash.server.event;

import dev.ash.protocol.ApiException;
import java.util.Optional;

/**
 * Parses the event id after which a client continues: {@code ?after=}, or else the {@code
 * Last-Event-ID} header that browsers send on reconnect. An id beyond the end of the log is not an
 * error: {@link SessionEvents#subscribe} treats it as the end.
 */
public final class EventPosition {
    private static final int MAX_DIGITS = 18; // any such number fits into a long

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
