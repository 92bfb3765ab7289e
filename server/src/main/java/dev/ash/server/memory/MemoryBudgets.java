package dev.ash.server.memory;

import dev.ash.protocol.Limits;
import java.time.Duration;

/**
 * How the heap is divided among what clients and sandboxes can make large. The parts are less than
 * the heap, because copies that are short-lived are not counted.
 *
 * @param requests what each open request costs by itself, small bodies and batches included
 * @param bodies bodies of requests that are larger than {@link #SMALL_BYTES}
 * @param reads events of the log that are larger than {@link #SMALL_BYTES}, while they are sent
 * @param intake events on their way from a sandbox to the log
 * @param uploads files on their way to a workspace: on disk, where they need a bound too, and in
 *     need of much computing
 */
public record MemoryBudgets(
        ByteBudget requests,
        ByteBudget bodies,
        ByteBudget reads,
        ByteBudget intake,
        ByteBudget uploads) {
    /** What is no larger is part of the cost of a request. */
    public static final int SMALL_BYTES = 64 * 1024;

    /** What a request or a stream costs: its connection, its thread, a batch, a small body. */
    public static final long REQUEST_BYTES = 64 * 1024;

    /** How often a body is in memory while it is read, stored and handed to a sandbox. */
    public static final int BODY_COPIES = 5;

    /** How often an event is in memory while it is sent: itself and what is derived from it. */
    public static final int READ_COPIES = 3;

    /** How often an event is in memory while it is received and stored. */
    public static final int INTAKE_COPIES = 3;

    public static final Duration BODY_WAIT = Duration.ofSeconds(10);
    public static final Duration READ_WAIT = Duration.ofSeconds(20);

    /** A sandbox waits long before its session is given up. */
    public static final Duration INTAKE_WAIT = Duration.ofMinutes(2);

    private static final MemoryBudgets PROCESS = ofHeap(Runtime.getRuntime().maxMemory());

    /** The ones of this process: there is one heap, so there is one of each. */
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
                new ByteBudget(
                        "another upload",
                        "send fewer uploads at the same time",
                        4L * Limits.MAX_UPLOAD_BODY_BYTES));
    }
}
