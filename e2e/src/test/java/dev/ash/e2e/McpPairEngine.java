package dev.ash.e2e;

import java.util.List;

/** Real engine outside Ash whose own configuration connects it to the mailbox of a pair. */
interface McpPairEngine extends AutoCloseable {
    /** Returns the name of this mailbox tool as the engine's model sees it. */
    String tool(String name);

    /** Sends these steps (see {@code model.Step}) to its model without waiting for the result. */
    void begin(List<String> steps);

    /** Waits until the last prompt is completed. */
    void awaitEnd();

    /** Returns the tool results that the model received from this process, oldest first. */
    List<String> toolAnswers();

    /** Kills the engine and all its descendants with SIGKILL. */
    void kill();

    @Override
    void close();
}
