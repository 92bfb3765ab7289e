package dev.ash.pair.mailbox;

import dev.ash.protocol.json.MalformedJsonException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the messages in a line that is not one message. A program that appends behind the torn
 * bytes of a killed writer glues its line to them; neither side can prevent it.
 *
 * <p>The search starts at the end of the line. The last object is the one whose writer terminated
 * the line, and an object nested in it cannot be mistaken for it, because at least one brace
 * follows. Torn bytes in front therefore never hide it.
 */
final class GluedLine {
    /** Bounds the search in a hostile line, in bytes visited for each byte of the line. */
    private static final int MAX_VISITS = 64;

    private final byte[] line;
    private final ArrayDeque<Piece> found = new ArrayDeque<>();
    private long visits;

    /** A message and its place in the line. */
    record Piece(int offset, int length) {
        int end() {
            return offset + length;
        }
    }

    private GluedLine(byte[] line) {
        this.line = line;
    }

    /** The messages in the order of the line; bytes between them are torn. */
    static List<Piece> messages(byte[] line) {
        var search = new GluedLine(line);
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

    /** A message is an object with at least one member. */
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

    /** The offset after the closing brace, or -1 if there is none before the limit. */
    private int endOfObject(int start, int limit) {
        int depth = 0;
        boolean inString = false;
        for (int at = start; at < limit; at++) {
            visits++;
            byte sign = line[at];
            if (inString) {
                if (sign == '\\') {
                    at++;
                } else if (sign == '"') {
                    inString = false;
                }
            } else if (sign == '"') {
                inString = true;
            } else if (sign == '{') {
                depth++;
            } else if (sign == '}' && --depth == 0) {
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
