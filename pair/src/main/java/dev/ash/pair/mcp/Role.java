package dev.ash.pair.mcp;

/** Role of a peer in its run; determines its tools and signals. */
public enum Role {
    /** No specific role; has all tools except {@code submit_verdict}. */
    PEER,
    /** Implements the task; may signal DONE, but not PASS or FAIL. */
    WORKER,
    /** Reviews the work; also has {@code submit_verdict}. */
    REVIEWER
}
