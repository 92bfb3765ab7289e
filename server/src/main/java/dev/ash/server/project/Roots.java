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
 * The folders of the host that a setting opens to tenants. The setting is a list of entries,
 * separated by colons: {@code /path} is for the tenant {@code default}, {@code NAME=/path} for the
 * tenant of that name, {@code *=/path} for every tenant.
 *
 * @param setting the name of the setting, for error messages
 */
public record Roots(String setting, List<Root> entries) {
    public static final String PROJECTS = "ASH_PROJECT_ROOTS";
    public static final String AGENTS = "ASH_AGENT_ROOTS";

    private static final String EVERY_TENANT = "*";

    /** One folder; without a tenant it is open to all of them. */
    public record Root(Optional<TenantId> tenant, Path folder) {}

    public Roots {
        entries = List.copyOf(entries);
    }

    public static Roots none(String setting) {
        return new Roots(setting, List.of());
    }

    /** Fails with a sentence for the operator where an entry is wrong. */
    public static Roots parse(String setting, String text) {
        var entries = new ArrayList<Root>();
        for (var entry : text.split(":", -1)) {
            if (!entry.isBlank()) {
                entries.add(entry(setting, entry.strip()));
            }
        }
        return new Roots(setting, entries);
    }

    /** With these folders as well, for the tenant {@code default}. */
    Roots and(List<Path> folders) {
        var more = folders.stream().map(folder -> new Root(Optional.of(TenantId.DEFAULT), folder));
        return new Roots(setting, Stream.concat(entries.stream(), more).toList());
    }

    List<Path> of(TenantId tenant) {
        return entries.stream()
                .filter(root -> root.tenant().isEmpty() || root.tenant().get().equals(tenant))
                .map(Root::folder)
                .toList();
    }

    private static Root entry(String setting, String entry) {
        int equals = entry.startsWith("/") ? -1 : entry.indexOf('=');
        var path = entry.substring(equals + 1);
        if (!path.startsWith("/") || path.indexOf('\0') >= 0) {
            throw wrong(setting, entry, "the path must be absolute");
        }
        var folder = Path.of(path).normalize();
        var tenant = equals < 0 ? TenantId.DEFAULT.value() : entry.substring(0, equals);
        if (tenant.equals(EVERY_TENANT)) {
            return new Root(Optional.empty(), folder);
        }
        try {
            return new Root(Optional.of(new TenantId(tenant)), folder);
        } catch (ApiException e) {
            throw wrong(setting, entry, "\"" + tenant + "\" is not the name of a tenant");
        }
    }

    private static ApiException wrong(String setting, String entry, String why) {
        return new ApiException(
                ErrorCode.VALIDATION_FAILED,
                ("%s has the entry \"%s\": %s. Write /path for the tenant default, NAME=/path for"
                                + " the tenant NAME or *=/path for every tenant, separated by colons")
                        .formatted(setting, entry, why));
    }
}
