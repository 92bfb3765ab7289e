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
 * The directories of runs: {@code {base}/runs/{repo-id}/{run-id}}, ours and those of the public
 * tool.
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

    /** Below {@code ASH_PAIR_DIR}, or {@code ~/.agentpair} where that is not set. */
    public static RunDirectories of(Map<String, String> env, Path home) {
        var told = env.getOrDefault("ASH_PAIR_DIR", "");
        return new RunDirectories(told.isEmpty() ? home.resolve(".agentpair") : Path.of(told));
    }

    /** A new run, with a number that no other has, however many ask at once. */
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

    /** The run of this number or name, made if new. */
    public RunDirectory open(Repository repository, String run) throws IOException {
        var known = find(repository, run);
        if (known.isPresent()) {
            return known.get();
        }
        var path = runs.resolve(repository.id()).resolve(run);
        PrivateFiles.createDirectories(path);
        return directory(path, false);
    }

    /** AshRun before one of the public tool with the same number. */
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

    /** All runs: by number, then by name; ours before those of the public tool. */
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

    /** The run of this number or name of the repository with this id, if there is one. */
    public Optional<RunDirectory> at(String repoId, String run) {
        if (!REPO_ID.matcher(repoId).matches() || !NAME.matcher(run).matches()) {
            return Optional.empty();
        }
        var path = runs.resolve(repoId).resolve(run);
        return Files.isDirectory(path) ? Optional.of(directory(path, false)) : Optional.empty();
    }

    /** Every run of every repository that has a number, whoever made it. */
    public List<RunDirectory> all() throws IOException {
        return everything().stream().filter(directory -> directory.runId() != 0).toList();
    }

    /** Every run of every repository that has a mailbox, by number or by name. */
    public List<RunDirectory> withMailbox() throws IOException {
        return everything().stream()
                .filter(directory -> Files.isRegularFile(directory.path().resolve("bridge.jsonl")))
                .toList();
    }

    private List<RunDirectory> everything() throws IOException {
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

    /** Where to look, and whether it is a place of the public tool. */
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
                    "must be a number, or a name of up to 64 letters, digits, '.', '_' and '-' that begins with a letter or digit");
        }
    }
}
