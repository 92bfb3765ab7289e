package dev.ash.bridge.command;

/**
 * Removes the control sequences of terminals from a text that arrives in parts: colors, titles,
 * movements of the cursor, and control characters except tabs and line feeds. Not thread-safe.
 */
final class AnsiFilter {
    private static final char ESCAPE = 0x1b;
    private static final char BELL = 0x07;

    private enum State {
        TEXT,
        /** After an escape character. */
        ESCAPED,
        /** In {@code ESC [ … letter}. */
        SEQUENCE,
        /** In {@code ESC ] … BEL} or {@code ESC ] … ESC \}. */
        STRING,
        STRING_ESCAPED
    }

    private State state = State.TEXT;

    String filter(String part) {
        var text = new StringBuilder(part.length());
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (state == State.TEXT && c != ESCAPE && isShown(c)) {
                text.append(c);
            }
            state = next(c);
        }
        return text.toString();
    }

    private static boolean isShown(char c) {
        return c == '\n' || c == '\t' || !Character.isISOControl(c);
    }

    private State next(char c) {
        return switch (state) {
            case TEXT -> c == ESCAPE ? State.ESCAPED : State.TEXT;
            case ESCAPED ->
                    switch (c) {
                        case '[' -> State.SEQUENCE;
                        case ']', 'P', '_', '^' -> State.STRING;
                        default -> State.TEXT;
                    };
            case SEQUENCE -> c >= '@' && c <= '~' ? State.TEXT : State.SEQUENCE;
            case STRING ->
                    c == BELL ? State.TEXT : c == ESCAPE ? State.STRING_ESCAPED : State.STRING;
            case STRING_ESCAPED -> c == '\\' ? State.TEXT : State.STRING;
        };
    }
}
