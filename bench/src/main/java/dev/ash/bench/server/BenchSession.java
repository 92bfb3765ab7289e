package dev.ash.bench.server;

import java.io.IOException;

/** A session of a {@link BenchServer}. */
public record BenchSession(BenchServer server, String id) {
    public String path() {
        return "/api/sessions/" + id;
    }

    private static String body(String text) {
        return "{\"content\":\"" + text + "\"}";
    }

    /** Starts a turn and closes its stream: the turn continues, visible to subscribers only. */
    public void prompt(String text) throws IOException, InterruptedException {
        server.begin(path() + "/messages", body(text));
    }

    /** Runs a complete turn and returns its duration in milliseconds. */
    public double turn(String text) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        server.post(path() + "/messages", body(text));
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Subscribes to the events after this one. */
    public EventReader subscribe(long after) throws IOException {
        return server.follow(path() + "/stream?after=" + after);
    }

    /** Resumes the session. */
    public void resume() throws IOException, InterruptedException {
        server.post(path() + "/resume", "");
    }

    /** Returns the session as JSON. */
    public String toJson() throws IOException, InterruptedException {
        return server.get(path());
    }

    public void stop() throws IOException, InterruptedException {
        server.post(path() + "/stop", "");
    }

    public double end() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        server.delete(path());
        return (System.nanoTime() - begin) / 1e6;
    }
}
