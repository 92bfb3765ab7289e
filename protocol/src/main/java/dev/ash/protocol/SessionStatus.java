package dev.ash.protocol;

import java.util.Locale;

/**
 * The status of a session.
 *
 * <pre>
 * starting → active | error          active → paused | stopped | error | ended
 * paused, stopped, error → active    every state → ended, which is final
 * </pre>
 */
public enum SessionStatus {
    STARTING,
    ACTIVE,
    PAUSED,
    STOPPED,
    ERROR,
    ENDED;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static SessionStatus ofWire(String wire) {
        for (var status : values()) {
            if (status.wire().equals(wire)) {
                return status;
            }
        }
        throw ApiException.invalid(
                "status", "must be one of starting, active, paused, stopped, error, ended");
    }
}
