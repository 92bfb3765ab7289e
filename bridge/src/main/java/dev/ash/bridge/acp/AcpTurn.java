package dev.ash.bridge.acp;

import dev.ash.bridge.engine.RunningTurn;
import dev.ash.bridge.engine.Turn;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A turn of an agent: its prompt, and the messages about decisions that follow it. */
final class AcpTurn extends RunningTurn {
    /** Limits messages about denied calls, to a model that repeats them. */
    private static final int MAX_FOLLOW_UPS = 5;

    private final OpenAgent agent;
    private final AcpTranslator translator;
    private final long startedAt = System.nanoTime();
    private boolean announced;
    private boolean promptWritten;
    private AcpUsage usage = AcpUsage.NONE;
    private int followUps;
    private @Nullable Set<ProcessHandle> processesBefore;

    AcpTurn(Turn turn, OpenAgent agent, AcpTranslator translator) {
        super(turn);
        this.agent = agent;
        this.translator = translator;
    }

    OpenAgent agent() {
        return agent;
    }

    AcpTranslator translator() {
        return translator;
    }

    /** Returns whether the first message was sent; updates before are not of this turn. */
    boolean announced() {
        return announced;
    }

    void announce() {
        announced = true;
    }

    /** Records that the prompt is written; returns true if an interrupt is waiting for it. */
    boolean promptWritten() {
        promptWritten = true;
        return isInterrupting();
    }

    /** An interrupt before its prompt would reach an idle agent and be lost. */
    boolean canBeInterrupted() {
        return promptWritten;
    }

    void add(AcpUsage more) {
        usage = usage.plus(more);
    }

    AcpUsage usage() {
        return usage;
    }

    /** Counts a message about decisions; returns false if there were too many. */
    boolean mayFollowUp() {
        return ++followUps <= MAX_FOLLOW_UPS;
    }

    long millis() {
        return (System.nanoTime() - startedAt) / 1_000_000;
    }

    /** Records the processes of the agent before its first call that needs a permission. */
    void recordProcesses(Supplier<Set<ProcessHandle>> processes) {
        if (processesBefore == null) {
            processesBefore = processes.get();
        }
    }

    /**
     * Returns those of these processes that calls of this turn have started. The agent's other
     * processes, such as MCP servers, run before the first call.
     */
    Set<ProcessHandle> startedByCalls(Set<ProcessHandle> processes) {
        var started = new HashSet<ProcessHandle>();
        if (processesBefore != null) {
            started.addAll(processes);
            started.removeAll(processesBefore);
        }
        return started;
    }
}
