package dev.ash.protocol;

/** The lines that {@code ASH_DEBUG_TIMING=1} adds to the error output of server and bridge. */
public final class TimingLine {
    private static final String START = "{\"type\":\"timing\",\"source\":\"";

    /** Whether this line of error output is one of them. */
    public static boolean matches(String line) {
        return line.startsWith(START) && line.endsWith("}");
    }

    private TimingLine() {}
}
