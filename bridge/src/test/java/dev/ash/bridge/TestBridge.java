package dev.ash.bridge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A bridge in this JVM, with folders of its own. */
final class TestBridge implements AutoCloseable {
    static final String SESSION = "6b1f7c1e-5d0a-4f2e-9c53-0d8f5d6a7b10";

    private final Path folder;
    private final Bridge bridge;
    private final Thread life;

    private TestBridge(Path folder, Bridge bridge) {
        this.folder = folder;
        this.bridge = bridge;
        this.life =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        bridge.await();
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
    }

    /** The variables that a sandbox sets, with these on top. */
    static Map<String, String> environment(Path folder, Map<String, String> more)
            throws IOException {
        Files.createDirectories(folder.resolve("workspace"));
        Files.createDirectories(folder.resolve("agent"));
        Files.createDirectories(folder.resolve("home"));
        var environment = new HashMap<String, String>();
        environment.put("PATH", System.getenv("PATH"));
        environment.put("LANG", "C.UTF-8");
        environment.put("HOME", folder.resolve("home").toString());
        environment.put("ASH_BRIDGE_SOCKET", folder.resolve("b.sock").toString());
        environment.put("ASH_BRIDGE_NONCE", "nonce-1");
        environment.put("ASH_WORKSPACE_DIR", folder.resolve("workspace").toString());
        environment.put("ASH_AGENT_DIR", folder.resolve("agent").toString());
        environment.put("ASH_SANDBOX_ID", "0f0e0d0c-0000-4000-8000-000000000001");
        environment.put("ASH_SESSION_ID", SESSION);
        environment.put("ASH_ENGINE", "demo");
        environment.putAll(more);
        return environment;
    }

    static TestBridge open(Path folder, Map<String, String> more) throws IOException {
        return open(folder, more, EngineStart.FIRST_PROMPT);
    }

    static TestBridge open(Path folder, Map<String, String> more, EngineStart start)
            throws IOException {
        var settings = BridgeSettings.from(environment(folder, more)).with(start);
        return new TestBridge(folder, Bridge.open(settings));
    }

    static TestBridge open(Path folder) throws IOException {
        return open(folder, Map.of());
    }

    Path workspace() {
        return folder.resolve("workspace");
    }

    Path agent() {
        return folder.resolve("agent");
    }

    Path home() {
        return folder.resolve("home");
    }

    Path socket() {
        return folder.resolve("b.sock");
    }

    /** Connected, with {@code ready} read. */
    RawClient client() throws IOException {
        var client = RawClient.connect(socket());
        client.nextOf("ready");
        return client;
    }

    void awaitEnd() throws InterruptedException {
        life.join();
    }

    @Override
    public void close() {
        bridge.close();
    }
}
