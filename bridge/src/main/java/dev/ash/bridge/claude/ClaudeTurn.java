package dev.ash.bridge.claude;

import dev.ash.bridge.engine.ClaudeMessageFormat;
import dev.ash.bridge.engine.RunningTurn;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.json.MalformedJsonException;

/** A turn of the CLI: prompted, continued after a deferred question, or started by the CLI. */
final class ClaudeTurn extends RunningTurn {
    private final boolean isEngineTurn;
    private final boolean continued;

    /** Unique for every prompt: the CLI drops a prompt with a known uuid. */
    private final String promptUuid = ClaudeMessageFormat.uuid();

    private boolean promptWritten;
    private boolean accepted;
    private boolean hasResult;
    private boolean deferring;
    private boolean deferred;

    private ClaudeTurn(Turn turn, boolean isEngineTurn, boolean continued) {
        super(turn);
        this.isEngineTurn = isEngineTurn;
        this.continued = continued;
        this.promptWritten = isEngineTurn || continued;
    }

    static ClaudeTurn prompted(Turn turn) {
        return new ClaudeTurn(turn, false, false);
    }

    /** Returns a deferred turn that the CLI resumes; no prompt is written. */
    static ClaudeTurn continued(Turn turn) {
        return new ClaudeTurn(turn, false, true);
    }

    static ClaudeTurn startedByEngine() {
        return new ClaudeTurn(Turn.startedByEngine(), true, false);
    }

    String promptUuid() {
        return promptUuid;
    }

    /** Records that the prompt is written; returns true if an interrupt is waiting for it. */
    boolean promptWritten() {
        promptWritten = true;
        return isInterrupting();
    }

    /** An interrupt before its prompt would reach an idle CLI and be lost. */
    boolean canBeInterrupted() {
        return promptWritten;
    }

    /** Marks the prompt as accepted and returns true if the line is its echo. */
    boolean acceptsEcho(ClaudeLine line) throws MalformedJsonException {
        boolean echo = !isEngineTurn && line.echoes(promptUuid);
        accepted |= echo;
        return echo;
    }

    /** Records output of the CLI; returns true if it is the first of a continued turn. */
    boolean recordActivity() {
        boolean first = continued && !accepted;
        accepted |= continued;
        return first;
    }

    boolean isAccepted() {
        return accepted;
    }

    /** From now on, a result with the reason {@code tool_deferred} defers the turn. */
    void deferQuestion() {
        deferring = true;
    }

    /** Returns whether the turn was deferred; if not, any later result ends it. */
    boolean settleDeferral() {
        deferring = false;
        return deferred;
    }

    boolean isDeferredBy(ClaudeLine line) throws MalformedJsonException {
        deferred =
                deferring
                        && line.kind() == ClaudeLine.Kind.RESULT
                        && line.json().string("terminal_reason").orElse("").equals("tool_deferred");
        return deferred;
    }

    /** Returns whether the line is the result that ends this turn. */
    boolean concludes(ClaudeLine line) throws MalformedJsonException {
        hasResult =
                line.kind() == ClaudeLine.Kind.RESULT
                        && (isEngineTurn || accepted || !line.isOfEngineTurn());
        return hasResult;
    }

    @Override
    public boolean hasResult() {
        return hasResult;
    }
}
