package dev.ash.server.approval;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The kinds of askers, by their names in the database. */
public enum AskerKind {
    ENGINE("engine"),

    /** A person's own engine in a terminal, which asks through its hooks. */
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

    /** The {@code source} of an approval, which the API leaves out for engines. */
    @Nullable String source() {
        return this == ENGINE ? null : column;
    }

    /** The id of an asker of this kind; {@code name} is unique among them. */
    public String id(String name) {
        return column + ":" + name;
    }
}
