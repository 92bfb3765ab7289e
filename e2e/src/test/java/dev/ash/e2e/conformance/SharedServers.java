package dev.ash.e2e.conformance;

import dev.ash.e2e.AshExtension;

/** Servers that several classes use, since most of their time would be the start of servers. */
final class SharedServers {
    /** Its sandboxes run the bridge that their agent brings. */
    static final AshExtension SEED = AshExtension.agentsBridge().shared();

    /** With our bridge and the demo engine. */
    static final AshExtension DEMO = AshExtension.demo().shared();

    /** For devices; each class has a project of its own. */
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
