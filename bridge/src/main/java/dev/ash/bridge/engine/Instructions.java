package dev.ash.bridge.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The system prompt of a session for an engine that accepts none: it is put before the first prompt
 * of a conversation, and again when it has changed. A file in the home contains the text that the
 * conversation already has.
 */
public final class Instructions {
    private static final String FILE = "instructions.txt";

    private final Path file;
    private final String text;

    private Instructions(Path file, String text) {
        this.file = file;
        this.text = text;
    }

    /** {@code engine} is used in messages. */
    public static Instructions of(EngineSetup setup, String engine) throws EngineException {
        var prompt = SystemPrompt.of(setup);
        if (prompt.isPresent() && prompt.get().mode() == SystemPrompt.Mode.REPLACE) {
            throw new EngineException(
                    "The engine "
                            + engine
                            + " cannot replace its own system prompt; use the systemPrompt mode"
                            + " append");
        }
        return new Instructions(
                setup.directories().state().resolve(FILE),
                prompt.map(SystemPrompt::text).orElse(""));
    }

    /** Returns the text to put before the next prompt of this conversation; empty if none. */
    public String pending(String conversationId) {
        return text.isEmpty() || isSent(conversationId) ? "" : block();
    }

    /** Returns the text to put before a prompt; empty if there is no system prompt. */
    public String block() {
        return text.isEmpty()
                ? ""
                : "<instructions>\n"
                        + text.strip()
                        + "\n</instructions>\n\nFollow these instructions in this conversation.\n\n";
    }

    private boolean isSent(String conversationId) {
        try {
            return Files.exists(file) && Files.readString(file).equals(record(conversationId));
        } catch (IOException e) {
            return false;
        }
    }

    private String record(String conversationId) {
        return conversationId + "\n" + text;
    }

    /** Records that the conversation has the text. */
    public void recordSent(String conversationId) {
        if (text.isEmpty()) {
            return;
        }
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, record(conversationId));
        } catch (IOException e) {
            System.err.println("bridge: cannot write " + file + ": " + e);
        }
    }
}
