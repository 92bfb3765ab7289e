package dev.ash.server.egress.http;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Parses the ClientHello of TLS, which contains the requested server name. One address can serve
 * many hosts: a client that may reach one of them could request another one there.
 */
public final class ClientHello {
    private static final byte HANDSHAKE = 22;
    private static final int HEADER = 5;
    private static final int MAX_RECORD = 16 * 1024;
    private static final int CLIENT_HELLO = 1;
    private static final int SERVER_NAME = 0;

    /** Reads the first bytes of a client: for TLS, at least one complete record. */
    static byte[] readFirst(HttpInput in) throws IOException {
        var bytes = new byte[HEADER + MAX_RECORD];
        int received = 0;
        int required = 1;
        while (received < required) {
            int count = in.read(bytes, received, bytes.length - received);
            if (count < 0) {
                break;
            }
            received += count;
            if (received >= HEADER && bytes[0] == HANDSHAKE) {
                required = HEADER + recordLength(bytes);
            } else if (bytes[0] == HANDSHAKE) {
                required = HEADER;
            }
        }
        return Arrays.copyOf(bytes, received);
    }

    private static int recordLength(byte[] record) throws BadMessageException {
        int length = ((record[3] & 0xFF) << 8) | (record[4] & 0xFF);
        if (length > MAX_RECORD) {
            throw new BadMessageException("a TLS record that is too large");
        }
        return length;
    }

    /** Returns the server name; empty if the bytes are not TLS or have no server name. */
    public static Optional<String> serverName(byte[] bytes) throws BadMessageException {
        if (bytes.length == 0 || bytes[0] != HANDSHAKE) {
            return Optional.empty();
        }
        try {
            var record = ByteBuffer.wrap(bytes);
            record.position(HEADER);
            return parseServerName(slice(record, recordLength(bytes)));
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException e) {
            // Also thrown for a ClientHello in several records, which no common client sends.
            throw new BadMessageException("a malformed TLS ClientHello");
        }
    }

    private static Optional<String> parseServerName(ByteBuffer handshake)
            throws BadMessageException {
        if (handshake.get() != CLIENT_HELLO) {
            throw new BadMessageException("a TLS handshake that does not start with a ClientHello");
        }
        var hello = slice(handshake, ((handshake.get() & 0xFF) << 16) | uint16(handshake));
        slice(hello, 2 + 32); // version, random
        slice(hello, hello.get() & 0xFF); // session
        slice(hello, uint16(hello)); // ciphers
        slice(hello, hello.get() & 0xFF); // compression
        if (!hello.hasRemaining()) {
            return Optional.empty();
        }
        var extensions = slice(hello, uint16(hello));
        while (extensions.hasRemaining()) {
            int type = uint16(extensions);
            var extension = slice(extensions, uint16(extensions));
            if (type == SERVER_NAME) {
                var names = slice(extension, uint16(extension));
                names.get(); // name type; only host_name exists
                var name = slice(names, uint16(names));
                return Optional.of(StandardCharsets.ISO_8859_1.decode(name).toString());
            }
        }
        return Optional.empty();
    }

    private static int uint16(ByteBuffer bytes) {
        return bytes.getShort() & 0xFFFF;
    }

    private static ByteBuffer slice(ByteBuffer bytes, int length) {
        var slice = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        return slice;
    }

    private ClientHello() {}
}
