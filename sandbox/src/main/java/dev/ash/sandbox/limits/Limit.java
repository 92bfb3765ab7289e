package dev.ash.sandbox.limits;

/** A limitable resource, with its name in the API. */
public enum Limit {
    MEMORY("memory"),
    PIDS("pids"),
    CPU("cpu"),
    DISK("disk"),
    FILE_SIZE("fileSize"),
    OPEN_FILES("openFiles");

    private final String label;

    Limit(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
