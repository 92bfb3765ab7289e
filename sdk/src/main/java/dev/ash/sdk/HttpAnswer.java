package dev.ash.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Map;

/** The head of an answer and its body, still to be read from the connection that it owns. */
record HttpAnswer(
        int status, String reason, Map<String, String> headers, InputStream body, Socket socket)
        implements AutoCloseable {

    boolean succeeded() {
        return status >= 200 && status < 300;
    }

    byte[] readAll(int limit) throws IOException {
        var bytes = body.readNBytes(limit + 1);
        if (bytes.length > limit) {
            throw new IOException("an answer of more than " + limit + " bytes");
        }
        return bytes;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It was to go away in any case.
        }
    }
}
