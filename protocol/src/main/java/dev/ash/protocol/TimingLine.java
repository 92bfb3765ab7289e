package dev.ash.protocol;

/** Recognizes the lines that server and bridge write to stderr with {@code ASH_DEBUG_TIMING=1}. */
public final class TimingLine {
    private static final String START = "{\"type\":\"timing\",\"source\":\"";

    /** Returns whether a line of stderr is a timing line. */
    public static boolean matches(String line) {
        return line.startsWith(START) && line.endsWith("}");
    }

    private TimingLine() {}
}
