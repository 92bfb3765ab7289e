package dev.ash.server.project;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The directories of the host that tenants may use, as configured by a setting. The setting is a
 * list of entries separated by colons: {@code /path} is for the tenant {@code default}, {@code
 * NAME=/path} for the tenant of that name, {@code *=/path} for every tenant.
 *
 * @param setting the name of the setting, for error messages
 */
public record Roots(String setting, List<Root> entries) {
    public static final String PROJECTS = "ASH_PROJECT_ROOTS";
    public static final String AGENTS = "ASH_AGENT_ROOTS";

    private static final String EVERY_TENANT = "*";

    /** One directory; without a tenant it applies to all tenants. */
    public record Root(Optional<TenantId> tenant, Path directory) {}

    public Roots {
        entries = List.copyOf(entries);
    }

    public static Roots none(String setting) {
        return new Roots(setting, List.of());
    }

    /** Parses the setting; fails with a message for the operator if an entry is invalid. */
    public static Roots parse(String setting, String text) {
        var entries = new ArrayList<Root>();
        for (var entry : text.split(":", -1)) {
            if (!entry.isBlank()) {
                entries.add(entry(setting, entry.strip()));
            }
        }
        return new Roots(setting, entries);
    }

    /** Returns these roots with additional directories for the tenant {@code default}. */
    Roots and(List<Path> directories) {
        var more =
                directories.stream()
                        .map(directory -> new Root(Optional.of(TenantId.DEFAULT), directory));
        return new Roots(setting, Stream.concat(entries.stream(), more).toList());
    }

    List<Path> of(TenantId tenant) {
        return entries.stream()
                .filter(root -> root.tenant().isEmpty() || root.tenant().get().equals(tenant))
                .map(Root::directory)
                .toList();
    }

    private static Root entry(String setting, String entry) {
        int equals = entry.startsWith("/") ? -1 : entry.indexOf('=');
        var path = entry.substring(equals + 1);
        if (!path.startsWith("/") || path.indexOf('\0') >= 0) {
            throw invalid(setting, entry, "the path must be absolute");
        }
        var directory = Path.of(path).normalize();
        var tenant = equals < 0 ? TenantId.DEFAULT.value() : entry.substring(0, equals);
        if (tenant.equals(EVERY_TENANT)) {
            return new Root(Optional.empty(), directory);
        }
        try {
            return new Root(Optional.of(new TenantId(tenant)), directory);
        } catch (ApiException e) {
            throw invalid(setting, entry, "\"" + tenant + "\" is not the name of a tenant");
        }
    }

    private static ApiException invalid(String setting, String entry, String reason) {
        return new ApiException(
                ErrorCode.VALIDATION_FAILED,
                ("%s has the invalid entry \"%s\": %s. Write /path for the tenant default, NAME=/path for"
                                + " the tenant NAME or *=/path for every tenant, separated by colons")
                        .formatted(setting, entry, reason));
    }
}
