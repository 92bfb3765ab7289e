package dev.ash.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;

/**
 * Reads an event stream with as little work as it takes, so that the reader is not what is
 * measured: it takes the chunks apart and looks at the first letter of each line.
 */
final class EventReader implements AutoCloseable {
    private final AutoCloseable connection;
    private final InputStream in;
    private final byte[] buffer = new byte[256 * 1024];
    private int start;
    private int end;
    private int chunkLeft;
    private byte[] line = new byte[4096];

    EventReader(AutoCloseable connection, InputStream in) {
        this.connection = connection;
        this.in = in;
    }

    /** What is told of an event: its number, and the text of its data. */
    record Event(long id, String data) {}

    static EventReader open(int port, String request) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        var reader = new EventReader(socket, socket.getInputStream());
        var status = reader.headLine();
        if (!status.contains(" 200 ")) {
            throw new IOException(status);
        }
        while (!reader.headLine().isEmpty()) {}
        return reader;
    }

    /** Skips to the next event that has a number, and returns it. */
    long nextId() throws IOException {
        while (true) {
            int length = nextLine();
            if (length > 4 && line[0] == 'i' && line[1] == 'd') {
                return number(length);
            }
        }
    }

    /** The same with its data, which stands on the line before. */
    Event next() throws IOException {
        var data = "";
        while (true) {
            int length = nextLine();
            if (length > 4 && line[0] == 'd') {
                data = new String(line, 6, length - 6, UTF_8);
            } else if (length > 4 && line[0] == 'i') {
                return new Event(number(length), data);
            }
        }
    }

    private long number(int length) {
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
            if (chunkLeft == 0) {
                nextChunk();
            }
            if (start == end) {
                fill();
            }
            int stop = Math.min(end, start + chunkLeft);
            int i = start;
            while (i < stop && buffer[i] != '\n') {
                i++;
            }
            int piece = i - start;
            if (length + piece > line.length) {
                line = java.util.Arrays.copyOf(line, (length + piece) * 2);
            }
            System.arraycopy(buffer, start, line, length, piece);
            length += piece;
            boolean whole = i < stop;
            chunkLeft -= piece + (whole ? 1 : 0);
            start = whole ? i + 1 : i;
            if (whole) {
                return length;
            }
        }
    }

    private void nextChunk() throws IOException {
        var size = headLine();
        if (size.isEmpty()) {
            size = headLine(); // the end of the chunk before
        }
        chunkLeft = Integer.parseInt(size, 16);
        if (chunkLeft == 0) {
            throw new EOFException("the stream ended");
        }
    }

    private String headLine() throws IOException {
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
            throw new EOFException("the server hung up");
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
