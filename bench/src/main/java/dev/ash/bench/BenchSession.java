package dev.ash.bench;

import java.io.IOException;

/** A session of a {@link BenchServer}. */
record BenchSession(BenchServer server, String id) {
    private String path() {
        return "/api/sessions/" + id;
    }

    private static String prompt(String text) {
        return "{\"content\":\"" + text + "\"}";
    }

    /** Begins a turn and leaves its stream at once: the turn goes on, and only watchers see it. */
    void ask(String text) throws IOException, InterruptedException {
        server.begin(path() + "/messages", prompt(text));
    }

    /** A whole turn, read to its end; returns the milliseconds it took. */
    double turn(String text) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        server.post(path() + "/messages", prompt(text));
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Follows the session from just after this event. */
    EventReader watch(long after) throws IOException {
        return server.follow(path() + "/stream?after=" + after);
    }

    /** As the server shows it. */
    String shown() throws IOException, InterruptedException {
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
