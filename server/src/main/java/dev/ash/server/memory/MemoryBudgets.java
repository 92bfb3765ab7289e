package dev.ash.server.memory;

import dev.ash.protocol.Limits;
import java.time.Duration;

/**
 * The memory budgets of a server: shares of the heap for data whose size clients and sandboxes
 * control. Their sum is less than the heap, because short-lived copies are not counted.
 *
 * @param requests the fixed cost of open requests, including small bodies and batches
 * @param bodies request bodies larger than {@link #SMALL_BYTES}
 * @param reads events of the log larger than {@link #SMALL_BYTES}, while they are sent
 * @param intake events between a sandbox and the log
 * @param tails partial messages that subscribers have not read yet
 * @param uploads uploaded files, which are on disk but need a limit and CPU time too
 */
public record MemoryBudgets(
        ByteBudget requests,
        ByteBudget bodies,
        ByteBudget reads,
        ByteBudget intake,
        ByteBudget tails,
        ByteBudget uploads) {
    /** Data up to this size is included in the fixed cost of a request. */
    public static final int SMALL_BYTES = 64 * 1024;

    /** The fixed cost of a request or stream: connection, thread, a batch, a small body. */
    public static final long REQUEST_BYTES = 64 * 1024;

    /** The number of copies of a body while it is read, stored and sent to a sandbox. */
    public static final int BODY_COPIES = 5;

    /** The number of copies of an event while it is sent, including derived frames. */
    public static final int READ_COPIES = 3;

    /** The number of copies of an event while it is received and stored. */
    public static final int INTAKE_COPIES = 3;

    public static final Duration BODY_WAIT = Duration.ofSeconds(10);
    public static final Duration READ_WAIT = Duration.ofSeconds(20);

    /** Long: after this timeout the session of the sandbox fails. */
    public static final Duration INTAKE_WAIT = Duration.ofMinutes(2);

    private static final MemoryBudgets PROCESS = ofHeap(Runtime.getRuntime().maxMemory());

    /** Returns the budgets of this process, one set per heap. */
    public static MemoryBudgets ofProcess() {
        return PROCESS;
    }

    static MemoryBudgets ofHeap(long bytes) {
        return new MemoryBudgets(
                new ByteBudget(
                        "another request",
                        "close event streams that are no longer needed, wait for other requests to end, or ask the operator to raise ASH_HEAP_MB",
                        bytes / 4),
                new ByteBudget(
                        "the body of this request",
                        "send fewer large bodies at the same time, or ask the operator to raise ASH_HEAP_MB",
                        bytes / 4),
                new ByteBudget("reading large events", bytes / 4),
                new ByteBudget("events from sandboxes", bytes / 8),
                new ByteBudget("partial messages of slow readers", bytes / 16),
                new ByteBudget(
                        "another upload",
                        "send fewer uploads at the same time",
                        4L * Limits.MAX_UPLOAD_BODY_BYTES));
    }
}
