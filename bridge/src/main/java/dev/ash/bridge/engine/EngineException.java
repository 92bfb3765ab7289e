package dev.ash.bridge.engine;

/** Thrown when an engine cannot perform a request; the message is for users. */
public final class EngineException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String message;

    public EngineException(String message) {
        super(message);
        this.message = message;
    }

    public String message() {
        return message;
    }
}
