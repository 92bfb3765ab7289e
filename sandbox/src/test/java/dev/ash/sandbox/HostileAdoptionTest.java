package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sandboxes that replace their bridge's socket while no server runs. */
class HostileAdoptionTest {
    private static final List<String> ATTACKS =
            List.of(
                    "stolen-nonce",
                    "flood",
                    "silent",
                    "never-accepts",
                    "garbage",
                    "slow",
                    "endless-line",
                    "hangs-up");

    private final Map<SandboxId, String> hostile = new LinkedHashMap<>();
    private final SandboxId honest = SandboxId.random();
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
        try (var in = HostileAdoptionTest.class.getResourceAsStream("/impostor.py")) {
            Files.write(bed.agent.resolve("impostor.py"), in.readAllBytes());
        }
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) { // null if the test was skipped
            bed.close();
        }
    }

    @Test
    void terminatesHostileSandboxesAndAdoptsHonestOne() throws Exception {
        try (var hostSocket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            hostSocket.bind(UnixDomainSocketAddress.of(bed.root.resolve("host.sock")));
            hostSocket.configureBlocking(false);
            ATTACKS.forEach(attack -> hostile.put(SandboxId.random(), attack));
            hostile.put(SandboxId.random(), "link:" + bed.root.resolve("host.sock"));
            hostile.put(SandboxId.random(), "link:" + socket(honest));
            var nonces = crash();
            var manager = bed.manager("stays");

            var adopted = adoptAll(manager, nonces);

            for (var entry : hostile.entrySet()) {
                var id = entry.getKey();
                assertThat(adopted.get(id)).as(entry.getValue()).isEmpty();
                assertThat(Processes.with("ASH_SANDBOX_ID=" + id)).as(entry.getValue()).isEmpty();
            }
            assertThat(run(adopted.get(honest).orElseThrow(), "cat notes")).isEqualTo("kept");
            assertThat(hostSocket.accept()).as("connection to a socket of the host").isNull();
        }
    }

    private Map<SandboxId, String> crash() throws IOException, InterruptedException {
        var commands = new LinkedHashMap<SandboxId, String>();
        commands.put(honest, "echo kept > notes");
        hostile.forEach((id, attack) -> commands.put(id, "python3 impostor.py '" + attack + "'"));
        return CrashingServer.run(bed.root, "stays", "bubblewrap", commands);
    }

    /**
     * Adopts concurrently, as a server does at start. Uses platform threads, on which a connect to
     * a socket that never accepts can block indefinitely.
     */
    private static Map<SandboxId, Optional<Sandbox>> adoptAll(
            SandboxManager manager, Map<SandboxId, String> nonces) throws Exception {
        var adopted = new HashMap<SandboxId, Optional<Sandbox>>();
        var running = new ArrayList<Map.Entry<SandboxId, Future<Optional<Sandbox>>>>();
        try (var threads = Executors.newCachedThreadPool()) {
            nonces.forEach(
                    (id, nonce) -> {
                        Callable<Optional<Sandbox>> task = () -> manager.adopt(id, nonce, () -> {});
                        running.add(Map.entry(id, threads.submit(task)));
                    });
            for (var entry : running) {
                adopted.put(entry.getKey(), entry.getValue().get());
            }
        }
        return adopted;
    }

    private Path socket(SandboxId id) {
        return bed.dataDir
                .resolve("run")
                .resolve(id.shortId())
                .resolve("ash-" + id.shortId() + ".sock");
    }
}
