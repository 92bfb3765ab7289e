package dev.ash.e2e.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;

/**
 * A WebSocket client on a raw socket, which can violate the protocol and drop the connection at any
 * time. One thread may read while another writes.
 */
final class RawSocket implements AutoCloseable {
    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;
    static final int FIN = 0x80;
    static final int COMPRESSED = 0x40;
    private static final int MASKED = 0x80;
    private static final byte[] MASK = {0x5a, 0x13, 0x77, 0x21};

    private final Socket plain;
    private final DataInputStream in;
    private final OutputStream out;

    /** A received message; the gateway never fragments messages. */
    record Message(int opcode, byte[] payload) {
        String text() {
            return new String(payload, UTF_8);
        }

        long number() {
            return payload.length == Long.BYTES ? ByteBuffer.wrap(payload).getLong() : 0;
        }

        int status() {
            return payload.length < 2 ? 1005 : ByteBuffer.wrap(payload).getShort();
        }
    }

    private RawSocket(URI url, String fingerprint, String headers) throws IOException {
        plain = new Socket(url.getHost(), url.getPort());
        try {
            plain.setTcpNoDelay(true);
            plain.setSoTimeout(60_000);
            var tls =
                    DeviceClient.trusting(fingerprint)
                            .getSocketFactory()
                            .createSocket(plain, url.getHost(), url.getPort(), true);
            in = new DataInputStream(new BufferedInputStream(tls.getInputStream()));
            out = tls.getOutputStream();
            write(
                    """
                    GET / HTTP/1.1\r
                    Host: %s:%d\r
                    Connection: Upgrade\r
                    Upgrade: websocket\r
                    Sec-WebSocket-Version: 13\r
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                    %s\r
                    """
                            .formatted(url.getHost(), url.getPort(), headers)
                            .getBytes(ISO_8859_1));
            readHead();
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    static RawSocket connect(DeviceClient.Pairing pairing) throws IOException {
        return connect(pairing, "");
    }

    /** Each header in {@code headers} ends with CRLF. */
    static RawSocket connect(DeviceClient.Pairing pairing, String headers) throws IOException {
        return new RawSocket(URI.create(pairing.url()), pairing.fingerprint(), headers);
    }

    private void readHead() throws IOException {
        var read = new StringBuilder();
        while (!read.toString().endsWith("\r\n\r\n")) {
            read.append((char) in.readUnsignedByte());
        }
        if (!read.toString().startsWith("HTTP/1.1 101 ")) {
            throw new IOException("no WebSocket upgrade: " + read);
        }
    }

    void text(String text) throws IOException {
        send(FIN | TEXT, text.getBytes(UTF_8));
    }

    void send(int first, byte[] payload) throws IOException {
        write(frame(first, payload));
    }

    /** Writes any bytes, including partial frames. */
    synchronized void write(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    static byte[] frame(int first, byte[] payload) {
        var masked = payload.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= MASK[i % MASK.length];
        }
        var bytes = new ByteArrayOutputStream(payload.length + 14);
        bytes.writeBytes(head(first, MASKED, payload.length));
        bytes.writeBytes(MASK);
        bytes.writeBytes(masked);
        return bytes.toByteArray();
    }

    static byte[] unmasked(int first, byte[] payload) {
        var bytes = new ByteArrayOutputStream(payload.length + 10);
        bytes.writeBytes(head(first, 0, payload.length));
        bytes.writeBytes(payload);
        return bytes.toByteArray();
    }

    /** Returns a frame header that declares this length. */
    static byte[] head(int first, int mask, long length) {
        var head = ByteBuffer.allocate(10).put((byte) first);
        if (Long.compareUnsigned(length, 126) < 0) {
            head.put((byte) (mask | (int) length));
        } else if (Long.compareUnsigned(length, 0xffff) <= 0) {
            head.put((byte) (mask | 126)).putShort((short) length);
        } else {
            head.put((byte) (mask | 127)).putLong(length);
        }
        return java.util.Arrays.copyOf(head.array(), head.position());
    }

    /** Returns the next message; fails at the end of the connection. */
    Message read() throws IOException {
        int first = in.readUnsignedByte();
        long length = in.readUnsignedByte();
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = in.readLong();
        }
        if ((first & FIN) == 0 || length > Integer.MAX_VALUE) {
            throw new IOException("unsupported frame: " + first);
        }
        return new Message(first & 0x0f, in.readNBytes((int) length));
    }

    /** Resets the connection without a close frame. */
    void reset() {
        try {
            plain.setSoLinger(true, 0);
            plain.close();
        } catch (IOException e) {
            // already closed
        }
    }

    @Override
    public void close() {
        reset();
    }
}
