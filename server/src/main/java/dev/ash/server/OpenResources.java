package dev.ash.server;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The open resources of the server. Closes them in reverse order, even if closing one of them
 * fails.
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
                LOG.log(System.Logger.Level.WARNING, "Cannot close " + resource.getClass(), e);
            }
        }
    }
}
