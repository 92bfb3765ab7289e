package dev.ash.server;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** Runs a server until SIGTERM, and exits with 1 and one sentence if it cannot start. */
final class ServerProcess {
    private static final System.Logger LOG = System.getLogger("ash.server");

    /** A server that runs until the latch opens. */
    interface Server {
        void run(CountDownLatch stop) throws IOException;
    }

    static void run(Server server) {
        var stop = new CountDownLatch(1);
        var stopped = new CountDownLatch(1);
        // The process lives until its shutdown hook returns, so the hook waits for the closing.
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
            LOG.log(System.Logger.Level.ERROR, "start failed", e);
            status = fail("The server could not start; the lines above say why", e);
        } finally {
            stopped.countDown();
        }
        if (status != 0) {
            System.exit(status);
        }
    }

    private static int fail(String sentence, Exception e) {
        LOG.log(System.Logger.Level.DEBUG, "start failed", e);
        System.err.println("ash: " + sentence);
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
