package dev.ash.server.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.session.live.LiveState.Closed;
import dev.ash.server.session.live.LiveState.Closing;
import dev.ash.server.session.live.LiveState.EngineFailed;
import dev.ash.server.session.live.LiveState.Resting;
import dev.ash.server.session.live.LiveState.Running;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LiveStateTest {
    /** The states by their names in the tables; R2 has two running commands. */
    private static final Map<String, LiveState> STATES = new LinkedHashMap<>();

    static {
        STATES.put("R0", new Running(0));
        STATES.put("R1", new Running(1));
        STATES.put("R2", new Running(2));
        STATES.put("R3", new Running(3));
        STATES.put("F0", new EngineFailed(0));
        STATES.put("F1", new EngineFailed(1));
        STATES.put("F2", new EngineFailed(2));
        STATES.put("F3", new EngineFailed(3));
        STATES.put("rest", new Resting(false));
        STATES.put("restF", new Resting(true));
        STATES.put("closing", new Closing());
        STATES.put("closed", new Closed());
    }

    /** A dot marks an impossible pair: a command finishes only after it has started. */
    private static final String TRANSITIONS =
            """
            event           R0      R2       F0      F2       rest    restF   closing closed
            engineFailed    F0      F2       F0      F2       restF   restF   closing closed
            engineResumed   R0      R2       R0      R2       rest    restF   closing closed
            commandStarted  R1      R3       F1      F3       no      no      no      no
            commandFinished .       R1       .       F1       rest    restF   closing closed
            restRequested   rest    no       restF   no       no      no      no      no
            restRejected    R0      R2       F0      F2       R0      F0      closing closed
            closeRequested  closing closing  closing closing  closing closing closing closed
            closed          closed  closed   closed  closed   closed  closed  closed  closed
            """;

    private static final Map<String, Function<LiveState, Optional<LiveState>>> EVENTS =
            Map.of(
                    "engineFailed", state -> Optional.of(state.engineFailed()),
                    "engineResumed", state -> Optional.of(state.engineResumed()),
                    "commandStarted", LiveState::commandStarted,
                    "commandFinished", state -> Optional.of(state.commandFinished()),
                    "restRequested", LiveState::restRequested,
                    "restRejected", state -> Optional.of(state.restRejected()),
                    "closeRequested", state -> Optional.of(state.closeRequested()),
                    "closed", state -> Optional.of(state.closed()));

    private static final String PROPERTIES =
            """
            property          R0  R2  F0  F2  rest restF closing closed
            acceptsTurns      yes yes no  no  no   no    no      no
            startsQueuedTurns yes yes no  no  yes  no    no      no
            keepsSandbox      yes yes yes yes no   no    no      no
            isEngineFailed    no  no  yes yes no   yes   no      no
            isClosing         no  no  no  no  no   no    yes     yes
            """;

    private static final Map<String, Predicate<LiveState>> GETTERS =
            Map.of(
                    "acceptsTurns", LiveState::acceptsTurns,
                    "startsQueuedTurns", LiveState::startsQueuedTurns,
                    "keepsSandbox", LiveState::keepsSandbox,
                    "isEngineFailed", LiveState::isEngineFailed,
                    "isClosing", LiveState::isClosing);

    static Stream<Arguments> transitions() {
        return cells(TRANSITIONS);
    }

    static Stream<Arguments> properties() {
        return cells(PROPERTIES);
    }

    /** Returns the row name, the column name and the text of each cell. */
    private static Stream<Arguments> cells(String table) {
        var rows = table.lines().map(line -> line.split(" +")).toList();
        var states = rows.getFirst();
        return rows.stream()
                .skip(1)
                .flatMap(
                        row ->
                                IntStream.range(1, states.length)
                                        .filter(i -> !row[i].equals("."))
                                        .mapToObj(i -> Arguments.of(row[0], states[i], row[i])));
    }

    private static LiveState state(String name) {
        return Optional.ofNullable(STATES.get(name)).orElseThrow();
    }

    @ParameterizedTest(name = "{0} in {1}: {2}")
    @MethodSource("transitions")
    void eventLeadsToNextStateOrIsRejected(String event, String from, String next) {
        var expected = next.equals("no") ? Optional.<LiveState>empty() : Optional.of(state(next));

        assertThat(EVENTS.get(event).apply(state(from))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} in {1}: {2}")
    @MethodSource("properties")
    void stateHasProperties(String property, String state, String value) {
        assertThat(GETTERS.get(property).test(state(state))).isEqualTo(value.equals("yes"));
    }

    @Test
    void tablesContainEveryEventAndState() {
        assertThat(transitions().map(cell -> cell.get()[0])).containsAll(EVENTS.keySet());
        assertThat(properties().map(cell -> cell.get()[0])).containsAll(GETTERS.keySet());
        assertThat(transitions().<Class<?>>map(cell -> state((String) cell.get()[1]).getClass()))
                .containsAll(Arrays.asList(LiveState.class.getPermittedSubclasses()));
    }

    @Test
    void rejectsRestUntilEveryCommandHasFinished() {
        LiveState state = new Running(0);
        state = state.commandStarted().orElseThrow();
        state = state.commandStarted().orElseThrow();
        state = state.engineFailed().commandFinished();
        assertThat(state.restRequested()).isEmpty();

        state = state.engineResumed().commandFinished();

        assertThat(state.restRequested()).contains(new Resting(false));
    }
}
