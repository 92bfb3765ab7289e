package dev.ash.server.device;

import dev.ash.protocol.ApiException;
import dev.ash.server.identity.Scope;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Maps the scopes of devices to their names in the API, the protocol and the database. */
public final class DeviceScopes {
    /** Iterates in the order in which scopes are listed. */
    private static final Map<String, Scope> BY_NAME = new LinkedHashMap<>();

    static {
        BY_NAME.put("watch", Scope.READ);
        BY_NAME.put("approve", Scope.APPROVE);
        BY_NAME.put("steer", Scope.RUN);
    }

    /** The scopes of a device that was paired without an explicit list. */
    public static final Set<Scope> ALL = Set.copyOf(BY_NAME.values());

    /**
     * Parses the scopes of a request, including those that they imply; null means all.
     *
     * @throws ApiException if the list is empty or has an unknown name
     */
    static Set<Scope> parse(@Nullable List<String> names) {
        if (names == null) {
            return ALL;
        }
        if (names.isEmpty()) {
            throw invalid("must contain at least one of %s; omit it for all");
        }
        var scopes = EnumSet.noneOf(Scope.class);
        for (var name : names) {
            var scope = BY_NAME.get(name);
            if (scope == null) {
                throw invalid("must contain only %s");
            }
            scopes.addAll(scope.included());
        }
        return scopes;
    }

    private static ApiException invalid(String expectation) {
        return ApiException.invalid(
                "scopes", expectation.formatted(String.join(", ", BY_NAME.keySet())));
    }

    public static List<String> names(Set<Scope> scopes) {
        return BY_NAME.entrySet().stream()
                .filter(entry -> scopes.contains(entry.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the name of a scope that devices can have. */
    public static String name(Scope scope) {
        return names(Set.of(scope)).getFirst();
    }

    /** Returns null for all scopes, so that null includes scopes that later versions add. */
    static @Nullable String toColumn(Set<Scope> scopes) {
        return scopes.equals(ALL) ? null : String.join(",", names(scopes));
    }

    /** Parses a column, ignoring unknown names. */
    static Set<Scope> fromColumn(@Nullable String column) {
        return column == null
                ? ALL
                : Stream.of(column.split(",", -1))
                        .flatMap(name -> Stream.ofNullable(BY_NAME.get(name)))
                        .flatMap(scope -> scope.included().stream())
                        .collect(Collectors.toSet());
    }

    private DeviceScopes() {}
}
