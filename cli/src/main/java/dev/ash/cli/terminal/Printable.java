package dev.ash.cli.terminal;

/**
 * Sanitizes text of agents for the terminal: an escape sequence in a file name or an answer could
 * otherwise change the window title, move the cursor or type into the shell.
 */
public final class Printable {
    private Printable() {}

    /** Replaces control characters except line breaks and tabs. */
    public static String text(String text) {
        var sanitized = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean isControl = Character.isISOControl(c) && c != '\n' && c != '\t';
            sanitized.append(isControl || isReordering(c) ? '\uFFFD' : c);
        }
        return sanitized.toString();
    }

    /** Bidirectional controls, which display text in a different order. */
    private static boolean isReordering(char c) {
        return (c >= '\u202A' && c <= '\u202E') || (c >= '\u2066' && c <= '\u2069');
    }

    /** Sanitizes text and joins its lines. */
    public static String line(String text) {
        return text(text.replace('\n', ' ').replace('\t', ' ').replace("\r", ""));
    }

    public static String abbreviate(String text, int length) {
        var line = line(text);
        return line.length() <= length ? line : line.substring(0, length - 1) + "…";
    }
}
