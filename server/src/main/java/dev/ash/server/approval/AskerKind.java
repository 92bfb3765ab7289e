package dev.ash.server.approval;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The kinds of askers, by their names in the database. */
public enum AskerKind {
    ENGINE("engine"),

    /** An engine in a user's own terminal, which asks through its hooks. */
    HOOKS("hooks"),

    /**
     * A run of a pair. Its questions belong to the session of a peer, but not to the peer's engine:
     * no engine receives the answer, and they stay open when the session ends.
     */
    PAIR("pair");

    private final String column;

    AskerKind(String column) {
        this.column = column;
    }

    String column() {
        return column;
    }

    static AskerKind ofColumn(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.column.equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalStateException("unknown kind of asker: " + name));
    }

    /** Returns the {@code source} of an approval in the API, which is absent for engines. */
    @Nullable String source() {
        return this == ENGINE ? null : column;
    }

    /** Returns the id of an asker; {@code name} is unique within the kind. */
    public String id(String name) {
        return column + ":" + name;
    }
}
