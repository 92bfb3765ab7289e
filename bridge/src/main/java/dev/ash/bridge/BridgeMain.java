package dev.ash.bridge;

import dev.ash.bridge.relay.EgressRelay;
import java.io.IOException;
import java.util.Map;

/** The main class of the bridge, which runs in every sandbox between a server and an engine. */
public final class BridgeMain {
    private static final int START_FAILED = 2;

    public static void main(String[] arguments) throws InterruptedException {
        Listener.preload();
        try {
            var bridge = open(System.getenv());
            if (arguments.length == 1 && arguments[0].equals("--train")) {
                AotTraining.run(bridge);
            } else {
                bridge.await();
                bridge.close();
            }
            System.exit(0);
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("bridge: cannot start: " + e.getMessage());
            System.exit(START_FAILED);
        }
    }

    private static Bridge open(Map<String, String> environment) throws IOException {
        var settings = BridgeSettings.from(environment);
        var bridge = Bridge.open(settings);
        // Terminates engines and commands after SIGTERM, as main does after shutdown and grace.
        Runtime.getRuntime().addShutdownHook(new Thread(bridge::close, "shutdown"));
        EgressRelay.startIfConfigured(
                settings.environment()); // after the listener, so as not to delay `ready`
        return bridge;
    }

    private BridgeMain() {}
}
