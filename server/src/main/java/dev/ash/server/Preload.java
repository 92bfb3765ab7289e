package dev.ash.server;

import dev.ash.server.http.HttpServer;

/**
 * Initializes classes of libraries on a second thread, while the main thread opens the data
 * directory and tests the isolation of sandboxes. Has no other effect: a failure is reported where
 * the main thread uses the class.
 */
final class Preload {
    static void start() {
        Thread.ofPlatform().daemon().name("preload").start(Preload::run);
    }

    private static void run() {
        try {
            HttpServer.preload();
        } catch (RuntimeException | LinkageError e) {
            System.getLogger("ash.server")
                    .log(System.Logger.Level.DEBUG, "Cannot preload classes", e);
        }
    }

    private Preload() {}
}
