package dev.ash.pair.mailbox;

import dev.ash.protocol.json.MalformedJsonException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the messages in a line that is not a single message. A program that appends after the torn
 * bytes of a killed writer joins its line to them; neither side can prevent this.
 *
 * <p>The search starts at the end of the line. The last object is the one whose writer terminated
 * the line, and an object nested in it cannot be mistaken for it, because at least one brace
 * follows. Torn bytes in front therefore never hide it.
 */
final class JoinedLine {
    /** Bounds the search in a hostile line, in bytes visited for each byte of the line. */
    private static final int MAX_VISITS = 64;

    private final byte[] line;
    private final ArrayDeque<Piece> found = new ArrayDeque<>();
    private long visits;

    /** The position of a message in the line. */
    record Piece(int offset, int length) {
        int end() {
            return offset + length;
        }
    }

    private JoinedLine(byte[] line) {
        this.line = line;
    }

    /** Returns the messages in order; the bytes between them are torn. */
    static List<Piece> messages(byte[] line) {
        var search = new JoinedLine(line);
        search.run();
        return List.copyOf(search.found);
    }

    private void run() {
        int limit = withoutBlanks(line.length);
        int start = limit - 1;
        while (start >= 0 && line[limit - 1] == '}' && visits < (long) MAX_VISITS * line.length) {
            if (opensObject(start)
                    && endOfObject(start, limit) == limit
                    && isMessage(start, limit)) {
                found.addFirst(new Piece(start, limit - start));
                limit = withoutBlanks(start);
                start = limit;
            }
            start--;
        }
    }

    private int withoutBlanks(int end) {
        int at = end;
        while (at > 0 && MailboxFile.isBlank(line[at - 1])) {
            at--;
        }
        return at;
    }

    /** Returns whether a non-empty object starts here; a message has at least one member. */
    private boolean opensObject(int start) {
        visits++;
        if (line[start] != '{') {
            return false;
        }
        int at = start + 1;
        while (at < line.length && MailboxFile.isBlank(line[at])) {
            at++;
        }
        return at < line.length && line[at] == '"';
    }

    /** Returns the offset after the closing brace, or -1 if there is none before the limit. */
    private int endOfObject(int start, int limit) {
        int depth = 0;
        boolean inString = false;
        for (int at = start; at < limit; at++) {
            visits++;
            byte value = line[at];
            if (inString) {
                if (value == '\\') {
                    at++;
                } else if (value == '"') {
                    inString = false;
                }
            } else if (value == '"') {
                inString = true;
            } else if (value == '{') {
                depth++;
            } else if (value == '}' && --depth == 0) {
                return at + 1;
            }
        }
        return -1;
    }

    private boolean isMessage(int start, int end) {
        visits += end - start;
        try {
            MailboxFile.decode(Arrays.copyOfRange(line, start, end), 1);
            return true;
        } catch (MalformedJsonException e) {
            return false;
        }
    }
}
