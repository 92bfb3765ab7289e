package dev.ash.pair.mcp;

/** What a peer does in its run, and so which tools and signals it has. */
public enum Role {
    /** Nobody said; all tools but the verdict. */
    PEER,
    /** Has the work done and may say DONE, but not judge it. */
    WORKER,
    /** Judges, and so has {@code submit_verdict}. */
    REVIEWER
}
