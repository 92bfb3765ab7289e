package dev.ash.pair.run;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Creates and finds the directories of runs, {@code {base}/runs/{repo-id}/{run-id}}, including
 * those of the public tool.
 */
public final class RunDirectories {
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private static final Pattern REPO_ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
    private static final Pattern LEGACY = Pattern.compile("[0-9a-f]{16}");

    private final Path runs;

    public RunDirectories(Path base) {
        this.runs = base.resolve("runs");
    }

    /** Uses {@code ASH_PAIR_DIR} as the base, or {@code ~/.agentpair} if it is not set. */
    public static RunDirectories of(Map<String, String> env, Path home) {
        var configured = env.getOrDefault("ASH_PAIR_DIR", "");
        return new RunDirectories(
                configured.isEmpty() ? home.resolve(".agentpair") : Path.of(configured));
    }

    /** Creates a run with a unique number, also when called concurrently. */
    public RunDirectory create(Repository repository) throws IOException {
        var parent = runs.resolve(repository.id());
        PrivateFiles.createDirectories(parent);
        int next = 1 + list(repository).stream().mapToInt(RunDirectory::runId).max().orElse(0);
        while (true) {
            var path = parent.resolve(Integer.toString(next));
            if (PrivateFiles.createDirectory(path)) {
                return new RunDirectory(path, Integer.toString(next), next, false);
            }
            next++;
        }
    }

    /** Returns the run with this number or name, and creates it if it is missing. */
    public RunDirectory open(Repository repository, String run) throws IOException {
        var known = find(repository, run);
        if (known.isPresent()) {
            return known.get();
        }
        var path = runs.resolve(repository.id()).resolve(run);
        PrivateFiles.createDirectories(path);
        return directory(path, false);
    }

    /** Finds a run by number or name; a run of Ash precedes one of the public tool. */
    public Optional<RunDirectory> find(Repository repository, String run) throws IOException {
        requireName(run);
        for (var parent : parents(repository).entrySet()) {
            var path = parent.getKey().resolve(run);
            if (Files.isDirectory(path)) {
                return Optional.of(directory(path, parent.getValue()));
            }
        }
        return Optional.empty();
    }

    /**
     * Lists all runs: numbered ones first, then named ones; those of Ash before those of the public
     * tool.
     */
    public List<RunDirectory> list(Repository repository) throws IOException {
        var found = new ArrayList<RunDirectory>();
        for (var parent : parents(repository).entrySet()) {
            if (!Files.isDirectory(parent.getKey())) {
                continue;
            }
            try (var entries = Files.newDirectoryStream(parent.getKey(), Files::isDirectory)) {
                for (var entry : entries) {
                    var directory = directory(entry, parent.getValue());
                    if (NAME.matcher(directory.name()).matches()) {
                        found.add(directory);
                    }
                }
            }
        }
        found.sort(
                Comparator.comparing((RunDirectory directory) -> directory.runId() == 0)
                        .thenComparingInt(RunDirectory::runId)
                        .thenComparing(RunDirectory::name)
                        .thenComparing(RunDirectory::legacy));
        return found;
    }

    /** Finds a run by the id of its repository and its number or name. */
    public Optional<RunDirectory> at(String repoId, String run) {
        if (!REPO_ID.matcher(repoId).matches() || !NAME.matcher(run).matches()) {
            return Optional.empty();
        }
        var path = runs.resolve(repoId).resolve(run);
        return Files.isDirectory(path) ? Optional.of(directory(path, false)) : Optional.empty();
    }

    /** Lists the numbered runs of all repositories, including those of the public tool. */
    public List<RunDirectory> all() throws IOException {
        return allRuns().stream().filter(directory -> directory.runId() != 0).toList();
    }

    /** Lists the runs of all repositories that have a mailbox. */
    public List<RunDirectory> withMailbox() throws IOException {
        return allRuns().stream()
                .filter(directory -> Files.isRegularFile(directory.path().resolve("bridge.jsonl")))
                .toList();
    }

    private List<RunDirectory> allRuns() throws IOException {
        var found = new ArrayList<RunDirectory>();
        for (var parent : directories(runs)) {
            boolean legacy = LEGACY.matcher(String.valueOf(parent.getFileName())).matches();
            for (var entry : directories(parent)) {
                found.add(directory(entry, legacy));
            }
        }
        return found;
    }

    private static List<Path> directories(Path parent) throws IOException {
        var found = new ArrayList<Path>();
        if (Files.isDirectory(parent)) {
            try (var entries = Files.newDirectoryStream(parent, Files::isDirectory)) {
                entries.forEach(found::add);
            }
        }
        found.sort(null);
        return found;
    }

    /** Returns the parent directories to search, mapped to whether the public tool uses them. */
    private Map<Path, Boolean> parents(Repository repository) {
        var parents = new LinkedHashMap<Path, Boolean>();
        parents.put(runs.resolve(repository.id()), false);
        parents.put(runs.resolve(Repository.legacyId(repository.directory())), true);
        parents.put(runs.resolve(Repository.legacyId(repository.top())), true);
        return parents;
    }

    private static RunDirectory directory(Path path, boolean legacy) {
        var name = String.valueOf(path.getFileName());
        int number = NUMBER.matcher(name).matches() ? Integer.parseInt(name) : 0;
        return new RunDirectory(path, name, number, legacy);
    }

    private static void requireName(String run) {
        if (!NAME.matcher(run).matches()) {
            throw ApiException.invalid(
                    "run",
                    "must be a number, or a name of up to 64 letters, digits, '.', '_' and '-' that starts with a letter or digit");
        }
    }
}
