package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Our own bridge: its jars, copied below the data directory once per version of jars and Java, and
 * beside them, as soon as it is recorded, the class data that halves its start.
 */
public record JavaBridge(Path folder, List<String> jars, JavaHome java) implements BridgeProgram {
    static final String MAIN_CLASS = "dev.ash.bridge.BridgeMain";
    static final String CACHE = "bridge.aot";

    // Its own Java launcher, beside a link to the libraries of the JDK inside a sandbox.
    private static final String LAUNCHER = "java/bin/java";
    private static final String LIBRARIES = "java/lib";

    // The kernel makes a process "not dumpable" if its program cannot be read: no process of the
    // same user may then trace it or read its memory, environment and descriptors. It needs no code
    // in the bridge, and holds from the first instruction.
    private static final String EXECUTE_ONLY = "--x--x--x";

    // Small and quick to start. ArchiveRelocationMode=0 maps the cache where it was recorded, so
    // that its pages are shared by all bridges. Never a small -Xms: the cache would be refused.
    static final List<String> FLAGS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xss256k",
                    "-Xmx128m",
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:ArchiveRelocationMode=0",
                    "-XX:+DisableAttachMechanism", // it would let an agent load code into the
                    // bridge
                    "-XX:-UsePerfData");

    public JavaBridge {
        jars = List.copyOf(jars);
    }

    public static JavaBridge prepare(
            List<Path> jars, JavaHome java, DataLayout layout, Spawner spawner) throws IOException {
        var sorted = jars.stream().sorted().toList();
        var fingerprint = new Fingerprint().text(Runtime.version().toString());
        fingerprint.text(java.toString()).text(FLAGS.toString()).text(LAUNCHER);
        for (var jar : sorted) {
            fingerprint.content(jar);
        }
        var folder =
                SharedFolder.publish(
                        layout.runtime().resolve(fingerprint.hex()),
                        spawner,
                        draft -> {
                            for (var jar : sorted) {
                                // Never linked: a build writes jars anew while sandboxes run.
                                var copy = draft.resolve(jar.getFileName());
                                Files.copy(jar, copy);
                                Modes.set(copy, "rw-r--r--");
                            }
                            addLauncher(java, draft);
                        });
        var names = sorted.stream().map(jar -> jar.getFileName().toString()).toList();
        return new JavaBridge(folder, names, java);
    }

    /** The launcher finds its libraries relative to itself, and the JDK by their real path. */
    private static void addLauncher(JavaHome java, Path folder) throws IOException {
        var launcher = folder.resolve(LAUNCHER);
        Modes.folder(folder.resolve("java"), Modes.SHOWN);
        Modes.folder(folder.resolve("java/bin"), Modes.SHOWN);
        Files.copy(java.host().resolve("bin/java").toRealPath(), launcher);
        Modes.set(launcher, EXECUTE_ONLY);
        Files.createSymbolicLink(folder.resolve(LIBRARIES), java.inside().resolve("lib"));
    }

    @Override
    public List<String> confined() {
        return words(PLACE.resolve(LAUNCHER), PLACE);
    }

    /** With the ordinary launcher: without isolation, a server must see its own user's bridges. */
    @Override
    public List<String> unconfined() {
        return words(java.host().resolve("bin/java"), folder);
    }

    /** Java can read no other descriptor without native code. */
    @Override
    public int nonceDescriptor() {
        return 0;
    }

    private List<String> words(Path launcher, Path place) {
        var words = new ArrayList<String>();
        words.add(launcher.toString());
        words.addAll(FLAGS);
        if (Files.exists(folder.resolve(CACHE))) {
            words.add("-XX:AOTCache=" + place.resolve(CACHE));
        }
        words.addAll(List.of("-cp", classPath(place), MAIN_CLASS));
        return words;
    }

    String classPath(Path place) {
        return jars.stream()
                .map(jar -> place.resolve(jar).toString())
                .collect(Collectors.joining(":"));
    }
}
