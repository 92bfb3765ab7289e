package dev.ash.server.workspace;

import java.util.HashSet;
import java.util.Set;

/** Names, of files and folders alike, that a listing or an archive leaves out. */
public record SkipRules(Set<String> names, Set<String> prefixes, Set<String> suffixes) {
    private static final Set<String> GENERATED =
            Set.of("node_modules", ".git", "__pycache__", ".DS_Store");
    private static final Set<String> CACHES =
            Set.of(".cache", ".npm", ".pnpm-store", ".yarn", ".venv", "venv", ".tmp", "tmp");
    private static final Set<String> RUNTIME = Set.of(".sock", ".lock", ".pid");

    /** What a listing of a workspace leaves out. */
    public static final SkipRules WORKSPACE = new SkipRules(GENERATED, Set.of(), RUNTIME);

    /** The same, and caches: the listing of an agent, or one without hidden files. */
    public static final SkipRules WITHOUT_CACHES =
            new SkipRules(both(GENERATED, CACHES), Set.of(), RUNTIME);

    /** What an archive leaves out: what can be made again, and {@code .env} files with secrets. */
    public static final SkipRules ARCHIVE =
            new SkipRules(both(GENERATED, CACHES), Set.of(".env"), Set.of(".sock", ".pid"));

    /** Nothing is left out. */
    public static final SkipRules NONE = new SkipRules(Set.of(), Set.of(), Set.of());

    boolean skips(String name) {
        return names.contains(name)
                || prefixes.stream().anyMatch(name::startsWith)
                || suffixes.stream().anyMatch(name::endsWith)
                || FileWriter.isUnfinished(name);
    }

    private static Set<String> both(Set<String> some, Set<String> others) {
        var all = new HashSet<>(some);
        all.addAll(others);
        return Set.copyOf(all);
    }
}
