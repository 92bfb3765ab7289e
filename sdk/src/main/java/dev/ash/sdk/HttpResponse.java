package dev.ash.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Map;

/** An HTTP response with an unread body. Owns the connection; closing it closes the socket. */
record HttpResponse(
        int status, String reason, Map<String, String> headers, InputStream body, Socket socket)
        implements AutoCloseable {

    boolean succeeded() {
        return status >= 200 && status < 300;
    }

    byte[] readAll(int limit) throws IOException {
        var bytes = body.readNBytes(limit + 1);
        if (bytes.length > limit) {
            throw new IOException("response exceeds " + limit + " bytes");
        }
        return bytes;
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is discarded in any case.
        }
    }
}
