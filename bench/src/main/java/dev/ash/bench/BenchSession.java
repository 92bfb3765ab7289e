package dev.ash.bench;

import java.io.IOException;

/** A session of a {@link BenchServer}. */
record BenchSession(BenchServer server, String id) {
    private String path() {
        return "/api/sessions/" + id;
    }

    private static String body(String text) {
        return "{\"content\":\"" + text + "\"}";
    }

    /** Starts a turn and closes its stream: the turn continues, visible to subscribers only. */
    void prompt(String text) throws IOException, InterruptedException {
        server.begin(path() + "/messages", body(text));
    }

    /** Runs a complete turn and returns its duration in milliseconds. */
    double turn(String text) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        server.post(path() + "/messages", body(text));
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Subscribes to the events after this one. */
    EventReader subscribe(long after) throws IOException {
        return server.follow(path() + "/stream?after=" + after);
    }

    /** Returns the session as JSON. */
    String toJson() throws IOException, InterruptedException {
        return server.get(path());
    }

    void stop() throws IOException, InterruptedException {
        server.post(path() + "/stop", "");
    }

    double end() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        server.delete(path());
        return (System.nanoTime() - begin) / 1e6;
    }
}
