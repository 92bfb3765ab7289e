package dev.ash.e2e.conformance;

/** Whether Ash conforms to a statement of a document. */
enum Verdict {
    /** Ash conforms; the test uses the document's example. */
    HOLDS("holds"),
    /** Ash deliberately behaves differently; the test checks its actual behavior. */
    DIFFERS("differs"),
    /** Ash does not implement this yet; the test checks for a clear error. */
    NOT_YET("not yet");

    private final String label;

    Verdict(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
