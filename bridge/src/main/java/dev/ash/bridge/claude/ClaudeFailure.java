package dev.ash.bridge.claude;

import dev.ash.bridge.engine.LineProcess;

/** What the end of a CLI process means to the one who waits for an answer. */
record ClaudeFailure(String message, boolean conversationLost) {
    static ClaudeFailure of(LineProcess.Exit exit, boolean initialized) {
        var said = exit.said().isEmpty() ? "" : ". It said: " + exit.said();
        if (initialized) {
            return new ClaudeFailure(
                    "Claude Code "
                            + exit.how()
                            + " before the turn was over. The next message reopens it on the same"
                            + " conversation"
                            + said,
                    false);
        }
        if (exit.said().contains("No conversation found")) {
            return new ClaudeFailure(
                    "The earlier conversation is no longer in this sandbox. The next message begins"
                            + " a new one"
                            + said,
                    true);
        }
        return new ClaudeFailure("Claude Code did not start: it " + exit.how() + said, false);
    }
}
