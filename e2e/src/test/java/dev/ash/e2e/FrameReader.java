package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads an event stream and enforces the documented format: {@code event: x}, {@code data: …} on
 * one line, at most one {@code id: n}, an empty line. Any other input fails the test.
 */
public final class FrameReader implements AutoCloseable {
    private final InputStream in;
    private final HttpHeaders headers;

    FrameReader(InputStream in, HttpHeaders headers) {
        this.in = new BufferedInputStream(in);
        this.headers = headers;
    }

    public HttpHeaders headers() {
        return headers;
    }

    /** Returns the next frame, or null at the end of the stream. */
    public Frame next() {
        var line = line();
        while (line != null && line.startsWith(":")) { // keep-alive comment
            assertThat(line()).as("after a comment").isEmpty();
            line = line();
        }
        if (line == null) {
            return null;
        }
        assertThat(line).startsWith("event: ");
        var data = line();
        assertThat(data).startsWith("data: ");
        long id = 0;
        var last = line();
        if (last != null && last.startsWith("id: ")) {
            id = Long.parseLong(last.substring(4));
            last = line();
        }
        assertThat(last).as("line after a frame").isEmpty();
        return new Frame(line.substring(7), data.substring(6), id);
    }

    /** Skips to the next frame with this event name and returns it. */
    public Frame next(String event) {
        for (var frame = next(); frame != null; frame = next()) {
            if (frame.event().equals(event)) {
                return frame;
            }
        }
        throw new AssertionError("the stream ended without " + event);
    }

    /** Returns all remaining frames; the last one must be {@code done}. */
    public List<Frame> rest() {
        var frames = readToEnd();
        assertThat(frames).as("the rest of the stream").isNotEmpty();
        assertThat(frames.getLast().event()).isEqualTo("done");
        assertThat(Frame.only("done", frames)).hasSize(1);
        return frames;
    }

    /** Returns all remaining frames. */
    public List<Frame> readToEnd() {
        var frames = new ArrayList<Frame>();
        for (var frame = next(); frame != null; frame = next()) {
            frames.add(frame);
        }
        return frames;
    }

    private String line() {
        try {
            var bytes = new ByteArrayOutputStream();
            int b = in.read();
            if (b < 0) {
                return null;
            }
            for (; b >= 0 && b != '\n'; b = in.read()) {
                bytes.write(b);
            }
            // A split character must fail here instead of being replaced.
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException e) {
            throw new AssertionError("the stream is not UTF-8", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes the connection, even in the middle of the stream. */
    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
