package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Processes are started by the launch path alone, and files that an agent can influence are opened
 * by the pinned walk alone. Exceptions are listed, each with its reason.
 */
class LaunchPathTest {
    private static final String SPAWNER = "dev.ash.sandbox.launch.Spawner";

    /** The launch path; other classes that start processes are those of {@link HostProcess}. */
    private static final Set<String> LAUNCH_PATH =
            Set.of("dev.ash.sandbox.launch.SandboxProcess", "dev.ash.sandbox.ConfinedCommands");

    /** Packages that handle directories of agents, sessions, projects and repositories. */
    private static final List<String> PACKAGES =
            Stream.of("workspace", "repository", "pair", "project", "session", "agent")
                    .map(name -> "dev.ash.server." + name)
                    .toList();

    private static final String PINNED =
            "the pinned walk: opens what a descriptor holds, by its number";
    private static final String SERVERS = "files in a directory that only the server writes";

    /** Classes of those packages that open files by their path. */
    private static final Map<String, String> BY_PATH =
            Map.ofEntries(
                    Map.entry("workspace.FileTree", PINNED),
                    Map.entry("workspace.FileWriter", PINNED),
                    Map.entry("workspace.LinuxPinnedPath", PINNED),
                    Map.entry(
                            "workspace.PortablePinnedPath",
                            "the walk for systems without /proc, where there are no sandboxes"),
                    Map.entry("workspace.Tarball", PINNED),
                    Map.entry("workspace.TreeWalk", PINNED),
                    Map.entry("pair.Bundles", SERVERS),
                    Map.entry(
                            "pair.BundleTransfer", SERVERS + "; the workspace by the pinned walk"),
                    Map.entry("pair.PairCreation", SERVERS + ": an empty directory of a run"),
                    Map.entry("pair.MailboxMembers", SERVERS + ": the directory of a run"),
                    Map.entry("project.PairRepositories", SERVERS + ": a list of repositories"),
                    Map.entry(
                            "project.HomeDirectories", "the host's list of users, and homes in it"),
                    Map.entry(
                            "project.HostDirectories",
                            "resolves a path and opens nothing; whoever uses the directory compares"
                                    + " its identity or opens it without links"),
                    Map.entry("agent.AgentDirectories", SERVERS + ": versions of agents"),
                    Map.entry("agent.AgentSettings", SERVERS + ": a version of an agent"),
                    Map.entry("session.file.SessionLogs", SERVERS + ": the output of bridges"));

    private static JavaClasses code;

    @BeforeAll
    static void read() {
        code =
                new ClassFileImporter()
                        .withImportOption(location -> !location.contains("/dev/ash/e2e/"))
                        .importPackages("dev.ash.server", "dev.ash.sandbox");
        assertThat(code).isNotEmpty();
    }

    @Test
    void onlyTheSpawnerAndOneExceptionStartProcessesOfTheJdk() {
        var starters =
                callers(
                        (owner, method) ->
                                (owner.equals("java.lang.ProcessBuilder")
                                                && (method.equals("<init>")
                                                        || method.startsWith("start")))
                                        || (owner.equals("java.lang.Runtime")
                                                && method.equals("exec")));

        assertThat(starters.keySet())
                .as("classes that start processes: %s", starters)
                .containsExactlyInAnyOrder(SPAWNER, "dev.ash.server.tls.SelfSignedCertificate");
        assertThat(HostProcess.isStartedBy("dev.ash.server.tls.SelfSignedCertificate")).isTrue();
    }

    @Test
    void onlyTheLaunchPathAndListedExceptionsUseTheSpawner() {
        var users =
                callers(
                        (owner, method) ->
                                owner.equals(SPAWNER)
                                        && (method.equals("run") || method.startsWith("spawn")));
        users.remove(SPAWNER);

        assertThat(users.keySet())
                .allSatisfy(
                        type ->
                                assertThat(
                                                LAUNCH_PATH.contains(type)
                                                        || HostProcess.isStartedBy(type))
                                        .as(
                                                "%s starts processes. Launch them as a confined"
                                                        + " command, or list them with a reason in"
                                                        + " HostProcess",
                                                type)
                                        .isTrue());
        assertThat(users.keySet()).as("the launch path is in use").containsAll(LAUNCH_PATH);
    }

    @Test
    void onlyThePinnedWalkAndListedExceptionsOpenFilesByPath() {
        var users = callers(LaunchPathTest::opensByPath);
        users.keySet().removeIf(type -> !isGuarded(type));
        BY_PATH.keySet().forEach(type -> users.remove("dev.ash.server." + type));

        assertThat(users)
                .as(
                        "classes that open files by their path. An agent may have put a link in its"
                                + " way: use FileTree, or list the class here with a reason")
                .isEmpty();
    }

    private static boolean isGuarded(String type) {
        return PACKAGES.stream().anyMatch(name -> type.startsWith(name + "."));
    }

    /** Whether a method opens, reads, lists, changes or resolves what a path leads to. */
    private static boolean opensByPath(String owner, String method) {
        return switch (owner) {
            case "java.nio.file.Files" ->
                    !method.startsWith("is")
                            && !Set.of("exists", "notExists", "getAttribute", "readAttributes")
                                    .contains(method);
            case "java.nio.file.Path" -> method.equals("toRealPath");
            case "java.nio.channels.FileChannel", "java.nio.channels.AsynchronousFileChannel" ->
                    method.equals("open");
            case "java.io.FileInputStream",
                    "java.io.FileOutputStream",
                    "java.io.FileReader",
                    "java.io.FileWriter",
                    "java.io.RandomAccessFile",
                    "java.util.Scanner" ->
                    method.equals("<init>");
            case "java.io.File" ->
                    method.startsWith("list")
                            || method.startsWith("delete")
                            || method.startsWith("create")
                            || method.startsWith("mkdir")
                            || method.startsWith("getCanonical")
                            || method.equals("renameTo");
            default -> false;
        };
    }

    /** The outermost classes that call or refer to such a method, each with what it uses. */
    private static Map<String, Set<String>> callers(BiPredicate<String, String> wanted) {
        var found = new TreeMap<String, Set<String>>();
        for (var type : code) {
            Stream.concat(
                            type.getCodeUnitCallsFromSelf().stream(),
                            type.getCodeUnitReferencesFromSelf().stream())
                    .map(access -> access.getTarget())
                    .filter(target -> wanted.test(target.getOwner().getName(), target.getName()))
                    .forEach(
                            target ->
                                    found.computeIfAbsent(outermost(type), _ -> new TreeSet<>())
                                            .add(target.getName()));
        }
        return found;
    }

    private static String outermost(JavaClass type) {
        var name = type.getName();
        int inner = name.indexOf('$');
        return inner < 0 ? name : name.substring(0, inner);
    }
}
