package dev.ash.e2e.conformance;

/** Whether Ash does what a document states. */
enum Verdict {
    /** Ash does what the statement says; the test sends the document's own example. */
    HOLDS("holds"),
    /** Ash deliberately does something else; the test checks what it does instead. */
    DIFFERS("differs"),
    /** Ash does not have this yet; the test checks that it is refused with a clear error. */
    NOT_YET("not yet");

    private final String label;

    Verdict(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
