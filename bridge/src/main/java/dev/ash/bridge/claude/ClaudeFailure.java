package dev.ash.bridge.claude;

import dev.ash.bridge.engine.LineProcess;

/** The message for users about the exit of a CLI process. */
record ClaudeFailure(String message, boolean conversationLost) {
    static ClaudeFailure of(LineProcess.Exit exit, boolean initialized) {
        var stderr = exit.stderr().isEmpty() ? "" : ". Stderr: " + exit.stderr();
        if (initialized) {
            return new ClaudeFailure(
                    "Claude Code "
                            + exit.description()
                            + " before the turn completed. The next message restarts it with the"
                            + " same conversation"
                            + stderr,
                    false);
        }
        if (exit.stderr().contains("No conversation found")) {
            return new ClaudeFailure(
                    "The earlier conversation is no longer in this sandbox. The next message begins"
                            + " a new one"
                            + stderr,
                    true);
        }
        return new ClaudeFailure(
                "Claude Code did not start: it " + exit.description() + stderr, false);
    }
}
