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
 * Checks that only the launch path starts processes, and that only the pinned walk opens files that
 * an agent can influence. Each exception is listed with its reason.
 */
class LaunchPathTest {
    private static final String SPAWNER = "dev.ash.sandbox.launch.Spawner";

    /**
     * Classes of the launch path; {@link HostProcess} lists the other classes that start processes.
     */
    private static final Set<String> LAUNCH_PATH =
            Set.of("dev.ash.sandbox.launch.SandboxProcess", "dev.ash.sandbox.ConfinedCommands");

    /** Packages that handle directories of agents, sessions, projects and repositories. */
    private static final List<String> PACKAGES =
            Stream.of("workspace", "repository", "pair", "project", "session", "agent")
                    .map(name -> "dev.ash.server." + name)
                    .toList();

    private static final String PINNED = "the pinned walk: opens files by descriptor number";
    private static final String SERVER_FILES = "files in a directory that only the server writes";

    /** Classes of those packages that open files by path, with the reason. */
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
                    Map.entry("pair.Bundles", SERVER_FILES),
                    Map.entry(
                            "pair.BundleTransfer",
                            SERVER_FILES + "; the workspace by the pinned walk"),
                    Map.entry("pair.PairCreation", SERVER_FILES + ": an empty directory of a run"),
                    Map.entry("pair.MailboxMembers", SERVER_FILES + ": the directory of a run"),
                    Map.entry(
                            "project.PairRepositories", SERVER_FILES + ": a list of repositories"),
                    Map.entry(
                            "project.HomeDirectories", "the host's list of users, and homes in it"),
                    Map.entry(
                            "project.HostDirectories",
                            "resolves a path and opens nothing; its callers compare the directory's"
                                    + " identity or open it without following links"),
                    Map.entry("agent.AgentDirectories", SERVER_FILES + ": versions of agents"),
                    Map.entry("agent.AgentSettings", SERVER_FILES + ": a version of an agent"),
                    Map.entry(
                            "session.file.SessionLogs", SERVER_FILES + ": the output of bridges"));

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
    void onlySpawnerAndCertificateCreationStartJdkProcesses() {
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
    void onlyLaunchPathAndListedExceptionsUseSpawner() {
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
    void onlyPinnedWalkAndListedExceptionsOpenFilesByPath() {
        var users = callers(LaunchPathTest::opensByPath);
        users.keySet().removeIf(type -> !isGuarded(type));
        BY_PATH.keySet().forEach(type -> users.remove("dev.ash.server." + type));

        assertThat(users)
                .as(
                        "classes that open files by path. An agent may have replaced a path component"
                                + " with a link: use FileTree, or list the class here with a reason")
                .isEmpty();
    }

    private static boolean isGuarded(String type) {
        return PACKAGES.stream().anyMatch(name -> type.startsWith(name + "."));
    }

    /** Returns whether a method opens, reads, lists, changes or resolves the target of a path. */
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

    /**
     * Returns the outermost classes that call or reference a matching method, with the methods they
     * use.
     */
    private static Map<String, Set<String>> callers(BiPredicate<String, String> matches) {
        var found = new TreeMap<String, Set<String>>();
        for (var type : code) {
            Stream.concat(
                            type.getCodeUnitCallsFromSelf().stream(),
                            type.getCodeUnitReferencesFromSelf().stream())
                    .map(access -> access.getTarget())
                    .filter(target -> matches.test(target.getOwner().getName(), target.getName()))
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
