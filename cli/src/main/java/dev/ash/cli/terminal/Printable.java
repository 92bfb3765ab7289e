package dev.ash.cli.terminal;

/**
 * Makes text of agents harmless to a terminal: an escape sequence in a file name or an answer could
 * otherwise retitle the window, move the cursor or type into the shell.
 */
public final class Printable {
    private Printable() {}

    /** Keeps line ends and tabs. */
    public static String text(String text) {
        var harmless = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isControl = Character.isISOControl(c) && c != '\n' && c != '\t';
            harmless.append(isControl || isReordering(c) ? '\uFFFD' : c);
        }
        return harmless.toString();
    }

    /** Marks that make a terminal show text in another order than it is run in. */
    private static boolean isReordering(char c) {
        return (c >= '\u202A' && c <= '\u202E') || (c >= '\u2066' && c <= '\u2069');
    }

    /** On one line. */
    public static String line(String text) {
        return text(text.replace('\n', ' ').replace('\t', ' ').replace("\r", ""));
    }

    public static String abbreviated(String text, int length) {
        var line = line(text);
        return line.length() <= length ? line : line.substring(0, length - 1) + "…";
    }
}
