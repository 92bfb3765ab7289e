package dev.ash.bridge.engine;

/** The engine could not do what it was asked; the message is a sentence for people. */
public final class EngineException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String sentence;

    public EngineException(String sentence) {
        super(sentence);
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }
}
