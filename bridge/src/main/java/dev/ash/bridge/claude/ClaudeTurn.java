package dev.ash.bridge.claude;

import dev.ash.bridge.engine.RunningTurn;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.UUID;

/** What is particular about a turn of the CLI: it may begin, take up and lay aside turns itself. */
final class ClaudeTurn extends RunningTurn {
    private final boolean own;
    private final boolean continued;

    /** A new one for every prompt: the CLI drops a prompt whose uuid it has seen. */
    private final String promptUuid = UUID.randomUUID().toString();

    private boolean promptWritten;
    private boolean takenUp;
    private boolean hasResult;
    private boolean layingAside;
    private boolean laidAside;

    private ClaudeTurn(Turn turn, boolean own, boolean continued) {
        super(turn);
        this.own = own;
        this.continued = continued;
        this.promptWritten = own || continued;
    }

    static ClaudeTurn prompted(Turn turn) {
        return new ClaudeTurn(turn, false, false);
    }

    /** One that the CLI takes up from where it was laid aside; there is nothing to write. */
    static ClaudeTurn continued(Turn turn) {
        return new ClaudeTurn(turn, false, true);
    }

    static ClaudeTurn own() {
        return new ClaudeTurn(Turn.own(), true, false);
    }

    String promptUuid() {
        return promptUuid;
    }

    /** True if an interrupt came before and could not be written yet. */
    boolean promptWritten() {
        promptWritten = true;
        return interrupting();
    }

    /** An interrupt that overtakes its prompt would find the CLI idle and be lost. */
    boolean canBeInterrupted() {
        return promptWritten;
    }

    /** Whether the line is the echo of the prompt, which then counts as taken up. */
    boolean takesUp(ClaudeLine line) throws MalformedJsonException {
        boolean echo = !own && line.echoes(promptUuid);
        takenUp |= echo;
        return echo;
    }

    /** The CLI said something; true if that shows for the first time that it goes on. */
    boolean showsLife() {
        boolean first = continued && !takenUp;
        takenUp |= continued;
        return first;
    }

    boolean isTakenUp() {
        return takenUp;
    }

    /** From here on a result that says so is not the end of the turn but its rest. */
    void layAside() {
        layingAside = true;
    }

    /** Whether it has been laid aside; if not, whatever comes now ends it. */
    boolean settleLaidAside() {
        layingAside = false;
        return laidAside;
    }

    boolean isLaidAsideBy(ClaudeLine line) throws MalformedJsonException {
        laidAside =
                layingAside
                        && line.kind() == ClaudeLine.Kind.RESULT
                        && line.json().string("terminal_reason").orElse("").equals("tool_deferred");
        return laidAside;
    }

    /** Whether the line is the result that ends this turn. */
    boolean concludes(ClaudeLine line) throws MalformedJsonException {
        hasResult = line.kind() == ClaudeLine.Kind.RESULT && (own || takenUp || !line.ofOwnTurn());
        return hasResult;
    }

    @Override
    public boolean hasResult() {
        return hasResult;
    }
}
