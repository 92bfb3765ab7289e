package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.bridge.BridgeMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ash's Java bridge and its AOT cache. */
class JavaBridgeTest {
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) { // null if the test was skipped
            bed.close();
        }
    }

    private Path jar() throws IOException {
        var jar = bed.root.resolve("bridge.jar");
        var name = BridgeMain.class.getName().replace('.', '/') + ".class";
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                var in = BridgeMain.class.getClassLoader().getResourceAsStream(name)) {
            out.putNextEntry(new JarEntry(name));
            in.transferTo(out);
        }
        return jar;
    }

    @Test
    void startsWithoutAotCacheAndThenWithIt() throws IOException {
        var config =
                new SandboxConfig(
                        bed.dataDir,
                        List.of(jar()),
                        List.of(),
                        bed.hostEnvironment,
                        Map.of(),
                        List.of(),
                        1,
                        false,
                        Duration.ofSeconds(30),
                        id -> "placeholder of " + id);
        try (var manager = bed.open(config)) {
            try (var sandbox = manager.launch(bed.spec())) {
                assertThat(sandbox.bridge().ready().engine())
                        .isEqualTo(
                                Path.of(System.getProperty("java.home")).toRealPath().toString());
            }

            var cache = runtime().resolve("bridge.aot");
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(cache));
            var spec = bed.spec();
            try (var sandbox = manager.launch(spec)) {
                assertThat(sandbox.isAlive()).isTrue();
                assertThat(mapsOfBridge(spec)).contains("bridge.aot");
            }
            assertThat(manager.logs(spec.id()).resolve("stdout.log")).isEmptyFile();
        }
        try (var files = Files.list(bed.dataDir.resolve("runtime"))) {
            assertThat(files).containsExactly(runtime()); // no drafts are left
        }
    }

    private Path runtime() throws IOException {
        try (var directories =
                Files.newDirectoryStream(bed.dataDir.resolve("runtime"), "[0-9a-f]*")) {
            return directories.iterator().next();
        }
    }

    /**
     * Finds the bridge as a child of pid 1, as its environment is not readable for ordinary users.
     */
    private static String mapsOfBridge(SandboxSpec spec) throws IOException {
        for (var process : Processes.with("ASH_SANDBOX_ID=" + spec.id())) {
            if (process.contains("/bin/sh -c") && !process.contains("bwrap")) {
                var first = Long.parseLong(process.substring(0, process.indexOf(':')));
                var bridge = ProcessHandle.of(first).orElseThrow().children().findFirst();
                return Files.readString(Path.of("/proc/" + bridge.orElseThrow().pid() + "/maps"));
            }
        }
        return "";
    }
}
