package dev.ash.server.identity;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a caller may do. Scopes that change something include {@link #READ}; admin has all. */
public enum Scope {
    /** See agents, sessions, logs, files and approvals. */
    READ,
    /** Decide approvals. */
    APPROVE,
    /** Start sessions and pairs, send messages, change files of sessions. */
    RUN,
    /** Manage agents, credentials, devices, API keys and tenants. */
    ADMIN;

    public static final Set<Scope> ALL = Set.of(values());

    /** The scope and those that it includes. */
    public Set<Scope> included() {
        return switch (this) {
            case READ -> Set.of(READ);
            case APPROVE, RUN -> EnumSet.of(READ, this);
            case ADMIN -> ALL;
        };
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
