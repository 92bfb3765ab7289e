package dev.ash.e2e.conformance;

import dev.ash.e2e.AshExtension;

/** Servers shared by several test classes, to save the time to start them. */
final class SharedServers {
    /** Runs the bridge that each agent contains. */
    static final AshExtension SEED = AshExtension.agentsBridge().shared();

    /** Runs the bridge of Ash with the demo engine. */
    static final AshExtension DEMO = AshExtension.demo().shared();

    /** For device tests; each class uses its own project. */
    static final AshExtension DEVICES =
            DeviceGateway.extension().shared().afterStart(SharedServers::startSession);

    /** The first session of an engine creates its agent; later ones only use it. */
    private static void startSession(AshExtension ash) {
        var gateway = DeviceGateway.of(ash, "first");
        try (var device = gateway.connect()) {
            gateway.startSession(device);
        }
    }

    private SharedServers() {}
}
