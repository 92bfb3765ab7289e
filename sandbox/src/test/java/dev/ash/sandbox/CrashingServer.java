package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** A server that launches sandboxes and is then killed. */
final class CrashingServer {
    static void run(Path root, SandboxId id) throws IOException, InterruptedException {
        run(root, id, "stays", "bubblewrap"); // mode "serves" exits soon after its server
    }

    /** Launches a sandbox and returns the nonce of the launch. */
    static String run(Path root, SandboxId id, String mode, String confinement)
            throws IOException, InterruptedException {
        var command = "echo kept > notes; setsid sleep 600 >/dev/null 2>&1 &";
        return run(root, mode, confinement, Map.of(id, command)).get(id);
    }

    /**
     * Launches several sandboxes, runs a command in each, and returns the nonces of the launches.
     */
    static Map<SandboxId, String> run(
            Path root, String mode, String confinement, Map<SandboxId, String> commands)
            throws IOException, InterruptedException {
        var arguments = new ArrayList<String>();
        arguments.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        arguments.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
        arguments.add(System.getProperty("java.class.path"));
        arguments.addAll(List.of(CrashingServer.class.getName(), root + "", mode, confinement));
        commands.forEach((id, command) -> arguments.addAll(List.of(id.value(), command)));
        var server =
                new ProcessBuilder(arguments)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (var lines = server.inputReader()) {
            var nonces = new HashMap<SandboxId, String>();
            for (var id : commands.keySet()) {
                nonces.put(id, lines.readLine());
            }
            return nonces;
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws IOException {
        var bed = new TestBed(Path.of(arguments[0]));
        if (arguments[2].equals("none")) {
            bed.withoutBubblewrap();
        }
        var manager = bed.manager(arguments[1]);
        for (int i = 3; i < arguments.length; i += 2) {
            var sandbox = manager.launch(bed.spec(new SandboxId(arguments[i])));
            TestBed.run(sandbox, arguments[i + 1]);
            System.out.println(sandbox.launchId());
        }
        while (true) {
            LockSupport.park();
        }
    }

    private CrashingServer() {}
}
