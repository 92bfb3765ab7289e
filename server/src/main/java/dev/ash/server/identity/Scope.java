package dev.ash.server.identity;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A permission of callers. All scopes include {@link #READ}; {@link #ADMIN} includes all. */
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

    /** Returns this scope and those that it includes. */
    public Set<Scope> included() {
        return switch (this) {
            case READ -> Set.of(READ);
            case APPROVE, RUN -> EnumSet.of(READ, this);
            case ADMIN -> ALL;
        };
    }

    /** Returns these scopes and those that they include. */
    public static Set<Scope> included(Collection<Scope> scopes) {
        var all = EnumSet.noneOf(Scope.class);
        scopes.forEach(scope -> all.addAll(scope.included()));
        return Collections.unmodifiableSet(all);
    }

    /** Returns the names in the order of this enum, such as {@code read, approve}. */
    public static String names(Set<Scope> scopes) {
        return Stream.of(values())
                .filter(scopes::contains)
                .map(Scope::wire)
                .collect(Collectors.joining(", "));
    }

    public static Optional<Scope> ofWire(String name) {
        return Stream.of(values()).filter(scope -> scope.wire().equals(name)).findFirst();
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
