package dev.ash.e2e.conformance;

/** The published documents, in the order of the table. */
enum Document {
    BRIDGE_PROTOCOL("000", "Ash: bridge protocol"),
    ARCHITECTURE("001", "Ash: architecture"),
    PAIR_MESSAGES("002", "AgentPair: bridge messages"),
    CONCEPTS("003", "Ash: key concepts"),
    DEVICE_PROTOCOL("004", "ReCursor: bridge protocol specification");

    private final String number;
    private final String title;

    Document(String number, String title) {
        this.number = number;
        this.title = title;
    }

    /** Prefix of the ids of its statements. */
    String number() {
        return number;
    }

    String title() {
        return title;
    }
}
