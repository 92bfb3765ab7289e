package dev.ash.bench.paths;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Performs four operations on a real server and prints the classes that each of them visits: {@code
 * java -cp 'dist/bench/*' dev.ash.bench.paths.Paths [DIST]}.
 *
 * <p>A class is visited when one of its methods, or of its nested classes, is entered, except
 * constructors, methods of {@code Object}, and methods that only return a field or a constant.
 * Records, enums, exceptions, interfaces and pure data types therefore do not count.
 *
 * <p>Only the packages of features in the server count: not {@code http}, {@code store} and the
 * wiring in {@code dev.ash.server} itself, and neither {@code *Store} classes nor streams of {@code
 * java.io}. The last lines of the output show the results of other rules.
 *
 * <p>A class that a thread enters on an idle server does not count on threads of that name. An
 * operation is repeated, and a class counts if most repetitions visit it.
 */
public final class Paths {
    private static final int REPETITIONS = 5;
    private static final long IDLE_MILLIS = 4_000;

    private static final List<Rule> RULES =
            List.of(Rule.ALL, Rule.SERVER, Rule.FEATURES, Rule.MANUAL_COUNT);

    private final PathServer server;
    private final Set<List<String>> background = new HashSet<>();
    private final Map<String, List<List<Entry>>> recorded = new LinkedHashMap<>();

    private Paths(PathServer server) {
        this.server = server;
    }

    public static void main(String[] args) throws Exception {
        var jar = jar();
        var dist = args.length > 0 ? Path.of(args[0]).toAbsolutePath() : jar.resolve("../..");
        var projects = Files.createTempDirectory("ash-paths-");
        Files.setPosixFilePermissions(projects, PosixFilePermissions.fromString("rwx--x--x"));
        try (var server = new PathServer(dist.normalize(), jar, projects)) {
            new Paths(server).run(projects);
        } finally {
            deleteTree(projects);
        }
    }

    private void run(Path projects) throws IOException, InterruptedException {
        var message = new MessagePath(server);
        message.perform();
        var call = new ModelCallPath(server);
        call.perform();
        try (var approval = new ApprovalPath(server)) {
            approval.perform();
            recordBackground();
            repeat("message", message, REPETITIONS);
            repeat("approval", approval, REPETITIONS);
            repeat("model call", call, REPETITIONS);
        }
        repeat("pair round", new PairPath(server, projects), 1);
        print();
    }

    private void recordBackground() throws IOException, InterruptedException {
        var entries =
                server.recorder()
                        .record(
                                () -> {
                                    long begin = System.nanoTime();
                                    Thread.sleep(IDLE_MILLIS);
                                    return new Recorder.Window(begin, System.nanoTime());
                                });
        for (var entry : entries) {
            background.add(List.of(entry.thread(), entry.type()));
        }
    }

    private void repeat(String name, Recorder.Operation operation, int times)
            throws IOException, InterruptedException {
        var all = new ArrayList<List<Entry>>();
        for (int i = 0; i < times; i++) {
            all.add(
                    server.recorder().record(operation).stream()
                            .filter(
                                    entry ->
                                            !background.contains(
                                                    List.of(entry.thread(), entry.type())))
                            .toList());
        }
        recorded.put(name, all);
    }

    private void print() {
        var chosen = Rule.MANUAL_COUNT;
        for (var name : recorded.keySet()) {
            System.out.printf(
                    "%n%s: %d classes (%s)%n", name, visited(name, chosen).size(), chosen.name());
            visited(name, chosen).forEach(type -> System.out.println("  " + type));
        }
        System.out.println();
        for (var rule : RULES) {
            System.out.printf("%-37s", rule.name());
            for (var name : recorded.keySet()) {
                System.out.printf("%s %d   ", name, visited(name, rule).size());
            }
            System.out.println();
        }
    }

    /** Returns the classes that most repetitions visit. */
    private Set<String> visited(String name, Rule rule) {
        var repetitions =
                recorded.getOrDefault(name, List.of()).stream().map(rule::visited).toList();
        var visited = new LinkedHashSet<String>();
        for (var repetition : repetitions) {
            for (var type : repetition) {
                long count = repetitions.stream().filter(each -> each.contains(type)).count();
                if (count * 2 > repetitions.size()) {
                    visited.add(type);
                }
            }
        }
        return visited;
    }

    private static Path jar() throws URISyntaxException {
        return Path.of(Paths.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static void deleteTree(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
