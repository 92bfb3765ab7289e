package dev.ash.server.session.store;

import static dev.ash.protocol.SessionStatus.ACTIVE;
import static dev.ash.protocol.SessionStatus.ENDED;
import static dev.ash.protocol.SessionStatus.ERROR;
import static dev.ash.protocol.SessionStatus.PAUSED;
import static dev.ash.protocol.SessionStatus.STARTING;
import static dev.ash.protocol.SessionStatus.STOPPED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.SessionStatus;
import dev.ash.server.session.store.SessionRow.PausedBy;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StatusChangeTest {
    /** A column for each status in the order of {@link SessionStatus}. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    # from   | STARTING | ACTIVE | PAUSED | STOPPED | ERROR | ENDED
                    STARTING | no       | yes    | yes    | yes     | yes   | yes
                    ACTIVE   | no       | yes    | yes    | yes     | yes   | yes
                    PAUSED   | no       | yes    | no     | yes     | yes   | yes
                    STOPPED  | no       | yes    | no     | no      | yes   | yes
                    ERROR    | yes      | yes    | no     | yes     | yes   | yes
                    ENDED    | no       | no     | no     | no      | no    | no
                    """)
    void allowsChangesOfTable(
            SessionStatus from,
            String starting,
            String active,
            String paused,
            String stopped,
            String error,
            String ended) {
        assertAllowed(from, STARTING, starting);
        assertAllowed(from, ACTIVE, active);
        assertAllowed(from, PAUSED, paused);
        assertAllowed(from, STOPPED, stopped);
        assertAllowed(from, ERROR, error);
        assertAllowed(from, ENDED, ended);
    }

    private static void assertAllowed(SessionStatus from, SessionStatus to, String allowed) {
        if (allowed.equals("yes")) {
            var change = new StatusChange(Set.of(from), to, null, null);
            assertThat(change.from()).containsExactly(from);
            assertThat(change.to()).isEqualTo(to);
        } else {
            assertThatThrownBy(() -> new StatusChange(Set.of(from), to, null, null))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("A session cannot change from %s to %s", from, to);
        }
    }

    @Test
    void rejectsChangeFromUnchangeableStatus() {
        assertThatThrownBy(() -> new StatusChange(Set.of(ACTIVE, ENDED), PAUSED, null, null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("A session cannot change from ENDED to PAUSED");
    }

    @Test
    void definesStatusesOfEveryNamedChange() {
        assertChange(StatusChange.resumed(), Set.of(PAUSED, STOPPED, ERROR), ACTIVE, null, null);
        assertChange(StatusChange.retried(), Set.of(ERROR), STARTING, null, null);
        assertChange(StatusChange.pausedByClient(), Set.of(ACTIVE), PAUSED, PausedBy.CLIENT, null);
        assertChange(StatusChange.pausedByServer(), Set.of(ACTIVE), PAUSED, PausedBy.SERVER, null);
        assertChange(StatusChange.copied(), Set.of(STARTING), PAUSED, PausedBy.SERVER, null);
        assertChange(
                StatusChange.stopped(),
                Set.of(STARTING, ACTIVE, PAUSED, ERROR),
                STOPPED,
                PausedBy.CLIENT,
                null);
        assertChange(
                StatusChange.failed("why"),
                Set.of(STARTING, ACTIVE, PAUSED, STOPPED, ERROR),
                ERROR,
                null,
                "why");
        assertChange(
                StatusChange.sandboxLost("why"),
                Set.of(STARTING, ACTIVE, ERROR),
                ERROR,
                null,
                "why");
        assertChange(
                StatusChange.ended(),
                Set.of(STARTING, ACTIVE, PAUSED, STOPPED, ERROR),
                ENDED,
                null,
                null);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ENDED")
    void startsFromStartingOrEarlierStatus(SessionStatus from) {
        assertChange(StatusChange.started(from), EnumSet.of(STARTING, from), ACTIVE, null, null);
    }

    @Test
    void rejectsStartOfEndedSession() {
        assertThatThrownBy(() -> StatusChange.started(ENDED))
                .isInstanceOf(IllegalStateException.class);
    }

    private static void assertChange(
            StatusChange change,
            Set<SessionStatus> from,
            SessionStatus to,
            @Nullable PausedBy pausedBy,
            @Nullable String error) {
        assertThat(change).isEqualTo(new StatusChange(from, to, pausedBy, error));
    }
}
