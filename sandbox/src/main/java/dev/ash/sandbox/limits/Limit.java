package dev.ash.sandbox.limits;

/** What can be limited, by the names that people see. */
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
