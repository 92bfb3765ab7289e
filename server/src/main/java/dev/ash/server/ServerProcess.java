package dev.ash.server;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** Runs a server until SIGTERM; if it cannot start, prints an error and exits with status 1. */
final class ServerProcess {
    private static final System.Logger LOG = System.getLogger("ash.server");

    /** A server that runs until the latch is released. */
    interface Server {
        void run(CountDownLatch stop) throws IOException;
    }

    static void run(Server server) {
        var stop = new CountDownLatch(1);
        var stopped = new CountDownLatch(1);
        // The JVM exits when its shutdown hooks return: wait until the server is closed.
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .unstarted(
                                        () -> {
                                            stop.countDown();
                                            await(stopped);
                                        }));
        int status = 0;
        try {
            server.run(stop);
        } catch (ApiException e) {
            status = fail(e.message(), e);
        } catch (IOException e) {
            status = fail("Cannot use the data directory: " + DataDir.reason(e), e);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "Start failed", e);
            status = fail("The server could not start; see the log above for the cause", e);
        } finally {
            stopped.countDown();
        }
        if (status != 0) {
            System.exit(status);
        }
    }

    private static int fail(String message, Exception e) {
        LOG.log(System.Logger.Level.DEBUG, "Start failed", e);
        System.err.println("ash: " + message);
        return 1;
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ServerProcess() {}
}
