package dev.ash.e2e.conformance;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Resources;
import java.util.Map;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * A server that several classes use, since most of their time would be the start of servers. It
 * starts with the first of them and stops when all tests are over.
 */
final class BridgeSharedServer implements BeforeAllCallback {
    /** Its sandboxes run the bridge that their agent brings. */
    static final BridgeSharedServer SEED = new BridgeSharedServer(Resources.SEED_BRIDGE);

    /** With our bridge and the demo engine. */
    static final BridgeSharedServer DEMO = new BridgeSharedServer(Map.of());

    private final Map<String, String> environment;
    private AshServer server;

    private BridgeSharedServer(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public synchronized void beforeAll(ExtensionContext context) {
        if (server == null) {
            server = AshServer.start(environment);
            AutoCloseable stop = server::close;
            context.getRoot().getStore(Namespace.create(BridgeSharedServer.class)).put(this, stop);
        }
    }

    synchronized AshServer get() {
        return server;
    }
}
