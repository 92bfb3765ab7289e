package dev.ash.bridge;

import dev.ash.bridge.relay.EgressRelay;
import java.io.IOException;

/** The program that runs in every sandbox, between a server and an engine. */
public final class BridgeMain {
    private static final int WRONG_START = 2;

    public static void main(String[] arguments) throws InterruptedException {
        try {
            if (arguments.length == 1 && arguments[0].equals("--train")) {
                Training.run();
            } else {
                serve(BridgeSettings.from(System.getenv()));
            }
            System.exit(0);
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("bridge: cannot start: " + e.getMessage());
            System.exit(WRONG_START);
        }
    }

    private static void serve(BridgeSettings settings) throws IOException, InterruptedException {
        var bridge = Bridge.open(settings);
        // The one place that ends engines and commands: reached by shutdown, grace and SIGTERM.
        Runtime.getRuntime().addShutdownHook(new Thread(bridge::close, "end"));
        EgressRelay.startIfAsked(settings.environment()); // while `ready` is on its way
        bridge.await();
    }

    private BridgeMain() {}
}
