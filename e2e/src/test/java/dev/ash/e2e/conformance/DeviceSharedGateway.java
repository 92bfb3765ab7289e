package dev.ash.e2e.conformance;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * A gateway for several classes, each with a project of its own. It starts with the first class and
 * stops after all tests.
 */
final class DeviceSharedGateway implements BeforeAllCallback {
    static final DeviceSharedGateway INSTANCE = new DeviceSharedGateway();

    private DeviceGateway gateway;

    @Override
    public synchronized void beforeAll(ExtensionContext context) {
        if (gateway == null) {
            gateway = DeviceGateway.start();
            AutoCloseable stop = gateway::close;
            // The first session of an engine creates its agent; later ones only use it.
            try (var device = gateway.connect()) {
                gateway.startSession(device);
            }
            context.getRoot().getStore(Namespace.create(DeviceSharedGateway.class)).put(this, stop);
        }
    }

    /** The same server with another project. */
    synchronized DeviceGateway withProject(String name) {
        var path = gateway.project().path().resolveSibling(name);
        return new DeviceGateway(gateway.server(), DeviceProject.make(path));
    }
}
