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
 * The folders of runs: {@code {base}/runs/{repo-id}/{run-id}}, ours and those of the public tool.
 */
public final class RunFolders {
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private static final Pattern REPO_ID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");
    private static final Pattern LEGACY = Pattern.compile("[0-9a-f]{16}");

    private final Path runs;

    public RunFolders(Path base) {
        this.runs = base.resolve("runs");
    }

    /** Below {@code ASH_PAIR_DIR}, or {@code ~/.agentpair} where that is not set. */
    public static RunFolders of(Map<String, String> env, Path home) {
        var told = env.getOrDefault("ASH_PAIR_DIR", "");
        return new RunFolders(told.isEmpty() ? home.resolve(".agentpair") : Path.of(told));
    }

    /** A new run, with a number that no other has, however many ask at once. */
    public RunFolder create(Repository repository) throws IOException {
        var parent = runs.resolve(repository.id());
        PrivateFiles.createFolders(parent);
        int next = 1 + list(repository).stream().mapToInt(RunFolder::runId).max().orElse(0);
        while (true) {
            var path = parent.resolve(Integer.toString(next));
            if (PrivateFiles.createFolder(path)) {
                return new RunFolder(path, Integer.toString(next), next, false);
            }
            next++;
        }
    }

    /** The run of this number or name, made if new. */
    public RunFolder open(Repository repository, String run) throws IOException {
        var known = find(repository, run);
        if (known.isPresent()) {
            return known.get();
        }
        var path = runs.resolve(repository.id()).resolve(run);
        PrivateFiles.createFolders(path);
        return folder(path, false);
    }

    /** Ours before one of the public tool with the same number. */
    public Optional<RunFolder> find(Repository repository, String run) throws IOException {
        requireName(run);
        for (var parent : parents(repository).entrySet()) {
            var path = parent.getKey().resolve(run);
            if (Files.isDirectory(path)) {
                return Optional.of(folder(path, parent.getValue()));
            }
        }
        return Optional.empty();
    }

    /** All runs: by number, then by name; ours before those of the public tool. */
    public List<RunFolder> list(Repository repository) throws IOException {
        var found = new ArrayList<RunFolder>();
        for (var parent : parents(repository).entrySet()) {
            if (!Files.isDirectory(parent.getKey())) {
                continue;
            }
            try (var entries = Files.newDirectoryStream(parent.getKey(), Files::isDirectory)) {
                for (var entry : entries) {
                    var folder = folder(entry, parent.getValue());
                    if (NAME.matcher(folder.name()).matches()) {
                        found.add(folder);
                    }
                }
            }
        }
        found.sort(
                Comparator.comparing((RunFolder folder) -> folder.runId() == 0)
                        .thenComparingInt(RunFolder::runId)
                        .thenComparing(RunFolder::name)
                        .thenComparing(RunFolder::legacy));
        return found;
    }

    /** The run of this number or name of the repository with this id, if there is one. */
    public Optional<RunFolder> at(String repoId, String run) {
        if (!REPO_ID.matcher(repoId).matches() || !NAME.matcher(run).matches()) {
            return Optional.empty();
        }
        var path = runs.resolve(repoId).resolve(run);
        return Files.isDirectory(path) ? Optional.of(folder(path, false)) : Optional.empty();
    }

    /** Every run of every repository that has a number, whoever made it. */
    public List<RunFolder> all() throws IOException {
        return everything().stream().filter(folder -> folder.runId() != 0).toList();
    }

    /** Every run of every repository that has a mailbox, by number or by name. */
    public List<RunFolder> withMailbox() throws IOException {
        return everything().stream()
                .filter(folder -> Files.isRegularFile(folder.path().resolve("bridge.jsonl")))
                .toList();
    }

    private List<RunFolder> everything() throws IOException {
        var found = new ArrayList<RunFolder>();
        for (var parent : folders(runs)) {
            boolean legacy = LEGACY.matcher(String.valueOf(parent.getFileName())).matches();
            for (var entry : folders(parent)) {
                found.add(folder(entry, legacy));
            }
        }
        return found;
    }

    private static List<Path> folders(Path parent) throws IOException {
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
        parents.put(runs.resolve(Repository.legacyId(repository.folder())), true);
        parents.put(runs.resolve(Repository.legacyId(repository.top())), true);
        return parents;
    }

    private static RunFolder folder(Path path, boolean legacy) {
        var name = String.valueOf(path.getFileName());
        int number = NUMBER.matcher(name).matches() ? Integer.parseInt(name) : 0;
        return new RunFolder(path, name, number, legacy);
    }

    private static void requireName(String run) {
        if (!NAME.matcher(run).matches()) {
            throw ApiException.invalid(
                    "run",
                    "must be a number, or a name of up to 64 letters, digits, '.', '_' and '-' that begins with a letter or digit");
        }
    }
}
