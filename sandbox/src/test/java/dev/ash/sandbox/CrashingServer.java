package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.nio.file.Path;

/** A server that launches a sandbox and then dies without a word. */
final class CrashingServer {
    static void run(Path root, SandboxId id) throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classPath = System.getProperty("java.class.path");
        var name = CrashingServer.class.getName();
        new ProcessBuilder(java, "-cp", classPath, name, root.toString(), id.value())
                .inheritIO()
                .start()
                .waitFor();
    }

    public static void main(String[] arguments) throws IOException {
        var bed = new TestBed(Path.of(arguments[0]));
        var sandbox = bed.manager("serves").launch(bed.spec(new SandboxId(arguments[1])));
        TestBed.run(sandbox, "echo kept > notes; setsid sleep 600 >/dev/null 2>&1 &");
        Runtime.getRuntime().halt(1);
    }

    private CrashingServer() {}
}
