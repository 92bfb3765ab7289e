package dev.ash.bench.floor;

import dev.ash.bench.server.Installation;
import dev.ash.bench.server.ProcessMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A Java program that does nothing, with the flags of the bridge. */
public final class BareJvm {
    private static final List<String> FLAGS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xss256k",
                    "-Xmx128m",
                    "-XX:-UsePerfData");

    /** Runs it and returns the milliseconds from its start to its exit. */
    public static double millis() throws IOException, InterruptedException {
        return Processes.millis(command());
    }

    /** Returns the private memory of a running one in megabytes. */
    public static double privateMemory() throws IOException, InterruptedException {
        return whileRunning(ProcessMemory::privateMemory);
    }

    /** Returns the resident set size of a running one in megabytes. */
    public static double rss() throws IOException, InterruptedException {
        return whileRunning(ProcessMemory::rss);
    }

    private interface Reading {
        double of(long pid) throws IOException;
    }

    private static double whileRunning(Reading reading) throws IOException, InterruptedException {
        var command = new ArrayList<>(command());
        command.add("wait");
        var process = new ProcessBuilder(command).start();
        try {
            if (process.getInputStream().read() < 0) {
                throw new IOException("a bare JVM did not start");
            }
            return reading.of(process.pid());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static List<String> command() {
        var command = new ArrayList<String>();
        command.add(Installation.java().toString());
        command.addAll(FLAGS);
        command.addAll(
                List.of("-cp", Installation.codeSource().toString(), Nothing.class.getName()));
        return command;
    }

    private BareJvm() {}
}
