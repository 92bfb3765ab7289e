package dev.ash.server.session.live;

import java.util.Optional;

/**
 * The state of a session that has a sandbox. Each event maps a state to the next one; an empty
 * result rejects the event.
 *
 * <pre>
 *                   Running      EngineFailed   Resting         Closing   Closed
 * engineFailed      EngineFailed -              Resting(failed) -         -
 * engineResumed     -            Running        -               -         -
 * commandStarted    Running      EngineFailed   rejected        rejected  rejected
 * commandFinished   Running      EngineFailed   -               -         -
 * restRequested     Resting *    Resting *      rejected        rejected  rejected
 * restRejected      -            -              as before       -         -
 * closeRequested    Closing      Closing        Closing         -         -
 * closed            Closed       Closed         Closed          Closed    -
 *
 * -  stays as it is
 * *  only while no command runs, else rejected
 * </pre>
 */
public sealed interface LiveState {
    /** Accepts turns and commands; {@code commands} of them run now. */
    record Running(int commands) implements LiveState {}

    /** The engine has exited, but not the bridge: accepts commands, and turns after a resume. */
    record EngineFailed(int commands) implements LiveState {}

    /** The bridge was requested to rest, so that its sandbox can be closed without losing work. */
    record Resting(boolean isEngineFailed) implements LiveState {}

    /** The sandbox is being closed. */
    record Closing() implements LiveState {}

    record Closed() implements LiveState {}

    /** Whether a client can open a turn. */
    default boolean acceptsTurns() {
        return this instanceof Running;
    }

    /** Whether a queued prompt can start; also while the bridge decides whether it can rest. */
    default boolean startsQueuedTurns() {
        return this instanceof Running || (this instanceof Resting(var failed) && !failed);
    }

    /** Whether no request to close the sandbox is in progress. */
    default boolean keepsSandbox() {
        return this instanceof Running || this instanceof EngineFailed;
    }

    default boolean isEngineFailed() {
        return this instanceof EngineFailed || (this instanceof Resting(var failed) && failed);
    }

    default boolean isClosing() {
        return this instanceof Closing || this instanceof Closed;
    }

    default LiveState engineFailed() {
        return switch (this) {
            case Running(var commands) -> new EngineFailed(commands);
            case Resting _ -> new Resting(true);
            case EngineFailed _, Closing _, Closed _ -> this;
        };
    }

    default LiveState engineResumed() {
        return this instanceof EngineFailed(var commands) ? new Running(commands) : this;
    }

    default Optional<LiveState> commandStarted() {
        return switch (this) {
            case Running(var commands) -> Optional.of(new Running(commands + 1));
            case EngineFailed(var commands) -> Optional.of(new EngineFailed(commands + 1));
            case Resting _, Closing _, Closed _ -> Optional.empty();
        };
    }

    default LiveState commandFinished() {
        return switch (this) {
            case Running(var commands) -> new Running(commands - 1);
            case EngineFailed(var commands) -> new EngineFailed(commands - 1);
            case Resting _, Closing _, Closed _ -> this;
        };
    }

    default Optional<LiveState> restRequested() {
        return switch (this) {
            case Running(var commands) when commands == 0 -> Optional.of(new Resting(false));
            case EngineFailed(var commands) when commands == 0 -> Optional.of(new Resting(true));
            case Running _, EngineFailed _, Resting _, Closing _, Closed _ -> Optional.empty();
        };
    }

    default LiveState restRejected() {
        return switch (this) {
            case Resting(var failed) -> failed ? new EngineFailed(0) : new Running(0);
            case Running _, EngineFailed _, Closing _, Closed _ -> this;
        };
    }

    default LiveState closeRequested() {
        return isClosing() ? this : new Closing();
    }

    default LiveState closed() {
        return new Closed();
    }
}
