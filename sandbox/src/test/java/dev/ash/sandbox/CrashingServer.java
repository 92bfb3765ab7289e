package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A server that launches a sandbox and is then killed. */
final class CrashingServer {
    static void run(Path root, SandboxId id) throws IOException, InterruptedException {
        run(root, id, "stays", "wall"); // one that only serves ends soon after its server
    }

    /** Gives the nonce of its launch. */
    static String run(Path root, SandboxId id, String mode, String wall)
            throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var classPath = System.getProperty("java.class.path");
        var name = CrashingServer.class.getName();
        var server =
                new ProcessBuilder(java, "-cp", classPath, name, root + "", id + "", mode, wall)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (var lines = server.inputReader()) {
            return lines.readLine();
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws IOException {
        var bed = new TestBed(Path.of(arguments[0]));
        if (arguments[3].equals("plain")) {
            bed.withoutBubblewrap();
        }
        var sandbox = bed.manager(arguments[2]).launch(bed.spec(new SandboxId(arguments[1])));
        TestBed.run(sandbox, "echo kept > notes; setsid sleep 600 >/dev/null 2>&1 &");
        System.out.println(sandbox.launchId());
        while (true) {
            LockSupport.park();
        }
    }

    private CrashingServer() {}
}
