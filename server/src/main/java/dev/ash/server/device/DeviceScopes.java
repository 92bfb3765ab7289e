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

/** The scopes of devices by their names on the wire and in the database. */
public final class DeviceScopes {
    /** In the order in which they are listed. */
    private static final Map<String, Scope> BY_NAME = new LinkedHashMap<>();

    static {
        BY_NAME.put("watch", Scope.READ);
        BY_NAME.put("approve", Scope.APPROVE);
        BY_NAME.put("steer", Scope.RUN);
    }

    /** What a device may do that was paired without a choice of scopes. */
    public static final Set<Scope> ALL = Set.copyOf(BY_NAME.values());

    /**
     * The scopes that a person chose, with those that they include; all for null.
     *
     * @throws ApiException if the list is empty or has an unknown name
     */
    static Set<Scope> chosen(@Nullable List<String> names) {
        if (names == null) {
            return ALL;
        }
        if (names.isEmpty()) {
            throw invalid("must name at least one of %s, or be left out for all");
        }
        var scopes = EnumSet.noneOf(Scope.class);
        for (var name : names) {
            var scope = BY_NAME.get(name);
            if (scope == null) {
                throw invalid("must be of %s");
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

    /** As it is named to people. */
    public static String name(Scope scope) {
        return names(Set.of(scope)).getFirst();
    }

    /** All is null, so that it still means all where a later version knows more scopes. */
    static @Nullable String column(Set<Scope> scopes) {
        return scopes.equals(ALL) ? null : String.join(",", names(scopes));
    }

    /** Names that this version does not know grant nothing. */
    static Set<Scope> ofColumn(@Nullable String column) {
        return column == null
                ? ALL
                : Stream.of(column.split(",", -1))
                        .flatMap(name -> Stream.ofNullable(BY_NAME.get(name)))
                        .flatMap(scope -> scope.included().stream())
                        .collect(Collectors.toSet());
    }

    private DeviceScopes() {}
}
