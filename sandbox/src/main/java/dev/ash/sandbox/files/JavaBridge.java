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
                    "-XX:-UsePerfData");

    public JavaBridge {
        jars = List.copyOf(jars);
    }

    public static JavaBridge prepare(
            List<Path> jars, JavaHome java, DataLayout layout, Spawner spawner) throws IOException {
        var sorted = jars.stream().sorted().toList();
        var fingerprint = new Fingerprint().text(Runtime.version().toString());
        fingerprint.text(java.host().toString()).text(FLAGS.toString());
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
                        });
        var names = sorted.stream().map(jar -> jar.getFileName().toString()).toList();
        return new JavaBridge(folder, names, java);
    }

    @Override
    public List<String> confined() {
        return words(java.inside(), PLACE);
    }

    @Override
    public List<String> unconfined() {
        return words(java.host(), folder);
    }

    private List<String> words(Path javaHome, Path place) {
        var words = new ArrayList<String>();
        words.add(javaHome.resolve("bin/java").toString());
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
