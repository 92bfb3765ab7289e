package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Ash's own bridge: its jars, copied below the data directory once per version of jars and Java,
 * and an AOT cache, added later, that halves its start time.
 */
public record JavaBridge(Path directory, List<String> jars, JavaHome java)
        implements BridgeProgram {
    static final String MAIN_CLASS = "dev.ash.bridge.BridgeMain";
    static final String CACHE = "bridge.aot";

    // A copy of the Java launcher, next to a link to the JDK's libraries inside a sandbox.
    private static final String LAUNCHER = "java/bin/java";
    private static final String LIBRARIES = "java/lib";

    // The kernel makes a process not dumpable if its program is not readable: then no process of
    // the same user can trace it or read its memory, environment and descriptors. This needs no
    // code in the bridge and applies from the first instruction.
    private static final String EXECUTE_ONLY = "--x--x--x";

    // For a small footprint and fast start. ArchiveRelocationMode=0 maps the cache at its recorded
    // address, so that all bridges share its pages. A small -Xms would make the JVM reject the
    // cache. Compiling only code that runs 30 times as often as by default saves a fifth of the
    // processor time of a start; reflection without generated code saves 5 MB of private memory.
    static final List<String> FLAGS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:CompileThresholdScaling=30",
                    "-Djdk.reflect.useNativeAccessorOnly=true",
                    "-Xss256k",
                    "-Xmx128m",
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:ArchiveRelocationMode=0",
                    "-XX:+DisableAttachMechanism", // agents could inject code
                    "-XX:-UsePerfData");

    public JavaBridge {
        jars = List.copyOf(jars);
    }

    public static JavaBridge prepare(
            List<Path> jars, JavaHome java, DataLayout layout, Spawner spawner) throws IOException {
        var sorted = jars.stream().sorted().toList();
        var hash = new InputHash().add(Runtime.version().toString());
        hash.add(java.toString()).add(FLAGS.toString()).add(LAUNCHER);
        for (var jar : sorted) {
            hash.addContent(jar);
        }
        var directory =
                SharedDirectory.publish(
                        layout.runtime().resolve(hash.hex()),
                        spawner,
                        draft -> {
                            for (var jar : sorted) {
                                // Copy, never link: a build may rewrite jars while sandboxes run.
                                var copy = draft.resolve(jar.getFileName());
                                Files.copy(jar, copy);
                                FileModes.set(copy, "rw-r--r--");
                            }
                            addLauncher(java, draft);
                        });
        var names = sorted.stream().map(jar -> jar.getFileName().toString()).toList();
        return new JavaBridge(directory, names, java);
    }

    /**
     * Adds the launcher, which finds its libraries relative to itself and the JDK by their real
     * path.
     */
    private static void addLauncher(JavaHome java, Path directory) throws IOException {
        var launcher = directory.resolve(LAUNCHER);
        FileModes.createDirectory(directory.resolve("java"), FileModes.READABLE);
        FileModes.createDirectory(directory.resolve("java/bin"), FileModes.READABLE);
        Files.copy(java.host().resolve("bin/java").toRealPath(), launcher);
        FileModes.set(launcher, EXECUTE_ONLY);
        Files.createSymbolicLink(directory.resolve(LIBRARIES), java.inside().resolve("lib"));
    }

    @Override
    public List<String> confined() {
        return arguments(SANDBOX_DIRECTORY.resolve(LAUNCHER), SANDBOX_DIRECTORY);
    }

    /**
     * Uses the JDK's launcher: without isolation, the server must be able to inspect the bridge.
     */
    @Override
    public List<String> unconfined() {
        return arguments(java.host().resolve("bin/java"), directory);
    }

    /** Standard input: Java cannot read other descriptors without native code. */
    @Override
    public int nonceDescriptor() {
        return 0;
    }

    private List<String> arguments(Path launcher, Path root) {
        var arguments = new ArrayList<String>();
        arguments.add(launcher.toString());
        arguments.addAll(FLAGS);
        if (Files.exists(directory.resolve(CACHE))) {
            arguments.add("-XX:AOTCache=" + root.resolve(CACHE));
        }
        arguments.addAll(List.of("-cp", classPath(root), MAIN_CLASS));
        return arguments;
    }

    String classPath(Path root) {
        return jars.stream()
                .map(jar -> root.resolve(jar).toString())
                .collect(Collectors.joining(":"));
    }
}
