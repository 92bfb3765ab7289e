package dev.ash.sdk;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads server-sent events, as specified in the HTML standard, from a byte stream. Lines end with
 * CR, LF or CR LF; a frame is returned as soon as its blank line is read, without waiting for
 * another byte. Data stays undecoded, so characters split across reads are preserved. Not
 * thread-safe.
 */
public final class SseReader {
    private static final int MAX_FRAME_BYTES = 2 * Limits.MAX_LINE_BYTES;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final InputStream in;
    private final byte[] buffer = new byte[16 * 1024];
    private int position;
    private int end;
    private boolean skipLineFeed;
    private boolean firstLine = true;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream(256);
    private ByteArrayOutputStream data = new ByteArrayOutputStream(256);
    private boolean hasData;
    private String event = "";
    private @Nullable String id;
    private String lastId = "";

    public SseReader(InputStream in) {
        this.in = in;
    }

    /** Returns the next frame, or null at the end; drops an incomplete last frame. */
    public @Nullable SseFrame next() throws IOException {
        while (readLine()) {
            if (line.size() > 0) {
                parseField(line.toByteArray());
                continue;
            }
            var frame = hasData ? frame() : null;
            reset();
            if (frame != null) {
                return frame;
            }
        }
        return null;
    }

    /** Returns the last frame id, to resume from; empty before the first. */
    public String lastId() {
        return lastId;
    }

    private SseFrame frame() {
        return new SseFrame(
                event.isEmpty() ? "message" : event, new RawJson(data.toByteArray()), id);
    }

    private void reset() {
        event = "";
        id = null;
        hasData = false;
        if (data.size() > 1024 * 1024) {
            data = new ByteArrayOutputStream(256); // do not retain the memory of a huge frame
        } else {
            data.reset();
        }
    }

    private void parseField(byte[] bytes) throws IOException {
        int colon = indexOfColon(bytes);
        if (colon == 0) {
            return; // a comment
        }
        var name = new String(bytes, 0, colon, StandardCharsets.UTF_8);
        int value = Math.min(bytes.length, colon + 1);
        if (value < bytes.length && bytes[value] == ' ') {
            value++;
        }
        switch (name) {
            case "event" -> event = text(bytes, value);
            case "data" -> append(bytes, value);
            case "id" -> setId(text(bytes, value));
            default -> {} // ignore retry and unknown fields
        }
    }

    private void append(byte[] bytes, int from) throws IOException {
        if (data.size() + bytes.length > MAX_FRAME_BYTES) {
            throw tooLong();
        }
        if (hasData) {
            data.write('\n');
        }
        data.write(bytes, from, bytes.length - from);
        hasData = true;
    }

    private void setId(String value) {
        if (value.indexOf('\0') < 0) {
            id = value;
            lastId = value;
        }
    }

    /** Reads a line into {@link #line}; returns false if the stream ends before a line end. */
    private boolean readLine() throws IOException {
        line.reset();
        while (true) {
            if (position == end && !fill()) {
                return false;
            }
            if (skipLineFeed) {
                skipLineFeed = false;
                if (buffer[position] == '\n') {
                    position++; // the LF of a CR LF
                    continue;
                }
            }
            int from = position;
            while (position < end && buffer[position] != '\n' && buffer[position] != '\r') {
                position++;
            }
            line.write(buffer, from, position - from);
            if (line.size() > MAX_FRAME_BYTES) {
                throw tooLong();
            }
            if (position < end) {
                skipLineFeed = buffer[position++] == '\r';
                dropByteOrderMark();
                return true;
            }
        }
    }

    private boolean fill() throws IOException {
        int count = in.read(buffer);
        position = 0;
        end = Math.max(0, count);
        return count > 0;
    }

    private void dropByteOrderMark() {
        if (firstLine) {
            firstLine = false;
            var bytes = line.toByteArray();
            if (bytes.length >= 3 && Arrays.equals(bytes, 0, 3, BYTE_ORDER_MARK, 0, 3)) {
                line.reset();
                line.write(bytes, 3, bytes.length - 3);
            }
        }
    }

    private static int indexOfColon(byte[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == ':') {
                return i;
            }
        }
        return bytes.length;
    }

    private static String text(byte[] bytes, int from) {
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }

    private static IOException tooLong() {
        return new IOException("frame exceeds " + MAX_FRAME_BYTES + " bytes");
    }
}
