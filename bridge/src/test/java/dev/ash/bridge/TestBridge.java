package dev.ash.bridge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A bridge in this JVM, with its own directories. */
final class TestBridge implements AutoCloseable {
    static final String SESSION = "6b1f7c1e-5d0a-4f2e-9c53-0d8f5d6a7b10";

    private final Path directory;
    private final Bridge bridge;
    private final Thread awaiter;

    private TestBridge(Path directory, Bridge bridge) {
        this.directory = directory;
        this.bridge = bridge;
        this.awaiter =
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

    /** Returns the variables that a sandbox sets, with the given additions. */
    static Map<String, String> environment(Path directory, Map<String, String> more)
            throws IOException {
        Files.createDirectories(directory.resolve("workspace"));
        Files.createDirectories(directory.resolve("agent"));
        Files.createDirectories(directory.resolve("home"));
        var environment = new HashMap<String, String>();
        environment.put("PATH", System.getenv("PATH"));
        environment.put("LANG", "C.UTF-8");
        environment.put("HOME", directory.resolve("home").toString());
        environment.put("ASH_BRIDGE_SOCKET", directory.resolve("b.sock").toString());
        environment.put("ASH_BRIDGE_NONCE", "nonce-1");
        environment.put("ASH_WORKSPACE_DIR", directory.resolve("workspace").toString());
        environment.put("ASH_AGENT_DIR", directory.resolve("agent").toString());
        environment.put("ASH_SANDBOX_ID", "0f0e0d0c-0000-4000-8000-000000000001");
        environment.put("ASH_SESSION_ID", SESSION);
        environment.put("ASH_ENGINE", "demo");
        environment.putAll(more);
        return environment;
    }

    static TestBridge open(Path directory, Map<String, String> more) throws IOException {
        var settings = BridgeSettings.from(environment(directory, more));
        return new TestBridge(directory, Bridge.open(settings));
    }

    static TestBridge open(Path directory) throws IOException {
        return open(directory, Map.of());
    }

    Path workspace() {
        return directory.resolve("workspace");
    }

    Path agent() {
        return directory.resolve("agent");
    }

    Path home() {
        return directory.resolve("home");
    }

    Path socket() {
        return directory.resolve("b.sock");
    }

    /** Returns a connected client that has received {@code ready}. */
    RawClient client() throws IOException {
        var client = RawClient.connect(socket());
        client.nextOf("ready");
        return client;
    }

    void awaitEnd() throws InterruptedException {
        awaiter.join();
    }

    @Override
    public void close() {
        bridge.close();
    }
}
