package dev.ash.bench.floor;

import java.io.IOException;
import java.util.List;

/** Runs programs and measures their duration. */
final class Processes {
    /** Returns the milliseconds from the start of a program to its exit; fails if it fails. */
    static double millis(List<String> command) throws IOException, InterruptedException {
        var builder =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        long begin = System.nanoTime();
        int code = builder.start().waitFor();
        double millis = (System.nanoTime() - begin) / 1e6;
        if (code != 0) {
            throw new IOException("exit code %d of %s".formatted(code, String.join(" ", command)));
        }
        return millis;
    }

    private Processes() {}
}
