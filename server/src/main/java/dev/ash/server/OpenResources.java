package dev.ash.server;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What the server has opened, closed in reverse order. A failure to close one closes the others.
 */
final class OpenResources implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.server");

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        open.push(resource);
        return resource;
    }

    @Override
    public void close() {
        for (var resource = open.poll(); resource != null; resource = open.poll()) {
            try {
                resource.close();
            } catch (Exception e) {
                LOG.log(System.Logger.Level.WARNING, "cannot close " + resource.getClass(), e);
            }
        }
    }
}
