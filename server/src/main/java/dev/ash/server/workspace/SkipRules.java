package dev.ash.server.workspace;

import java.util.HashSet;
import java.util.Set;

/** Names of files and directories that a listing or archive excludes. */
public record SkipRules(Set<String> names, Set<String> prefixes, Set<String> suffixes) {
    private static final Set<String> GENERATED =
            Set.of("node_modules", ".git", "__pycache__", ".DS_Store");
    private static final Set<String> CACHES =
            Set.of(".cache", ".npm", ".pnpm-store", ".yarn", ".venv", "venv", ".tmp", "tmp");
    private static final Set<String> RUNTIME = Set.of(".sock", ".lock", ".pid");

    /** For listings of a workspace. */
    public static final SkipRules WORKSPACE = new SkipRules(GENERATED, Set.of(), RUNTIME);

    /** Also excludes caches: for listings of an agent, and listings without hidden files. */
    public static final SkipRules WITHOUT_CACHES =
            new SkipRules(union(GENERATED, CACHES), Set.of(), RUNTIME);

    /** For archives: excludes generated files, and {@code .env} files, which hold secrets. */
    public static final SkipRules ARCHIVE =
            new SkipRules(union(GENERATED, CACHES), Set.of(".env"), Set.of(".sock", ".pid"));

    /** Excludes nothing. */
    public static final SkipRules NONE = new SkipRules(Set.of(), Set.of(), Set.of());

    boolean skips(String name) {
        return names.contains(name)
                || prefixes.stream().anyMatch(name::startsWith)
                || suffixes.stream().anyMatch(name::endsWith)
                || FileWriter.isTemporary(name);
    }

    private static Set<String> union(Set<String> first, Set<String> second) {
        var all = new HashSet<>(first);
        all.addAll(second);
        return Set.copyOf(all);
    }
}
