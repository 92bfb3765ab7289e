package dev.ash.e2e;

import java.util.List;

/** A real engine in a terminal, which was given the mailbox of a pair by its own configuration. */
interface McpPairEngine extends AutoCloseable {
    /** What its model calls this tool of the mailbox. */
    String tool(String name);

    /** Gives its model these steps, see {@code model.Step}, and does not wait. */
    void begin(List<String> steps);

    /** Waits for the end of what it was given last. */
    void awaitEnd();

    /** What the tools answered to the model in the life of this process, oldest first. */
    List<String> toolAnswers();

    /** SIGKILL to it and to all that it started. */
    void kill();

    @Override
    void close();
}
