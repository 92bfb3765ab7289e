package dev.ash.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;

/**
 * Reads an event stream with minimal overhead, so that it does not distort the measurement: decodes
 * the chunks and checks the first letter of each line.
 */
public final class EventReader implements AutoCloseable {
    private final AutoCloseable connection;
    private final InputStream in;
    private final byte[] buffer = new byte[256 * 1024];
    private int start;
    private int end;
    private int chunkRemaining;
    private byte[] line = new byte[4096];

    EventReader(AutoCloseable connection, InputStream in) {
        this.connection = connection;
        this.in = in;
    }

    /** An event: its id and the text of its data. */
    public record Event(long id, String data) {}

    public static EventReader open(int port, String request) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        var reader = new EventReader(socket, socket.getInputStream());
        var status = reader.headerLine();
        if (!status.contains(" 200 ")) {
            throw new IOException(status);
        }
        while (!reader.headerLine().isEmpty()) {}
        return reader;
    }

    /** Returns the id of the next event that has one. */
    public long nextId() throws IOException {
        while (true) {
            int length = nextLine();
            if (length > 4 && line[0] == 'i' && line[1] == 'd') {
                return parseId(length);
            }
        }
    }

    /** Returns the next event with an id; its data is on the line before. */
    public Event next() throws IOException {
        var data = "";
        while (true) {
            int length = nextLine();
            if (length > 4 && line[0] == 'd') {
                data = new String(line, 6, length - 6, UTF_8);
            } else if (length > 4 && line[0] == 'i') {
                return new Event(parseId(length), data);
            }
        }
    }

    /**
     * Reads to the next frame of this type; returns the number of bytes up to it, or -1 at the end
     * of the stream.
     */
    public int awaitFrame(String type) throws IOException {
        int bytes = 0;
        while (true) {
            int length;
            try {
                length = nextLine();
            } catch (EOFException e) {
                return -1;
            }
            bytes += length + 1;
            if (length == 7 + type.length()
                    && line[0] == 'e'
                    && type.equals(new String(line, 7, length - 7, UTF_8))) {
                return bytes;
            }
        }
    }

    private long parseId(int length) {
        long id = 0;
        for (int i = 4; i < length; i++) {
            id = id * 10 + line[i] - '0';
        }
        return id;
    }

    /** Reads a line of the body into {@link #line} and returns its length. */
    private int nextLine() throws IOException {
        int length = 0;
        while (true) {
            if (chunkRemaining == 0) {
                nextChunk();
            }
            if (start == end) {
                fill();
            }
            int stop = Math.min(end, start + chunkRemaining);
            int i = start;
            while (i < stop && buffer[i] != '\n') {
                i++;
            }
            int count = i - start;
            if (length + count > line.length) {
                line = Arrays.copyOf(line, (length + count) * 2);
            }
            System.arraycopy(buffer, start, line, length, count);
            length += count;
            boolean isComplete = i < stop;
            chunkRemaining -= count + (isComplete ? 1 : 0);
            start = isComplete ? i + 1 : i;
            if (isComplete) {
                return length;
            }
        }
    }

    private void nextChunk() throws IOException {
        var size = headerLine();
        if (size.isEmpty()) {
            size = headerLine(); // the end of the previous chunk
        }
        chunkRemaining = Integer.parseInt(size, 16);
        if (chunkRemaining == 0) {
            throw new EOFException("unexpected end of stream");
        }
    }

    private String headerLine() throws IOException {
        var text = new StringBuilder();
        while (true) {
            if (start == end) {
                fill();
            }
            int b = buffer[start++];
            if (b == '\n') {
                return text.toString().strip();
            }
            text.append((char) b);
        }
    }

    private void fill() throws IOException {
        start = 0;
        end = in.read(buffer);
        if (end < 0) {
            end = 0;
            throw new EOFException("the server closed the connection");
        }
    }

    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
