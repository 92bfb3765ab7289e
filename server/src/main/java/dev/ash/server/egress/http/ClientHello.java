package dev.ash.server.egress.http;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Parses the first message of a TLS client, which names the requested host. One address serves many
 * hosts: a client that may reach one of them could request another there.
 */
public final class ClientHello {
    private static final byte HANDSHAKE = 22;
    private static final int HEADER = 5;
    private static final int MAX_RECORD = 16 * 1024;
    private static final int CLIENT_HELLO = 1;
    private static final int SERVER_NAME = 0;

    /** Reads the first bytes of a client; if they are TLS, at least one whole record. */
    static byte[] readFirst(HttpInput in) throws IOException {
        var bytes = new byte[HEADER + MAX_RECORD];
        int have = 0;
        int wanted = 1;
        while (have < wanted) {
            int count = in.read(bytes, have, bytes.length - have);
            if (count < 0) {
                break;
            }
            have += count;
            if (have >= HEADER && bytes[0] == HANDSHAKE) {
                wanted = HEADER + length(bytes);
            } else if (bytes[0] == HANDSHAKE) {
                wanted = HEADER;
            }
        }
        return Arrays.copyOf(bytes, have);
    }

    private static int length(byte[] record) throws BadMessageException {
        int length = ((record[3] & 0xFF) << 8) | (record[4] & 0xFF);
        if (length > MAX_RECORD) {
            throw new BadMessageException("a TLS record that is too large");
        }
        return length;
    }

    /** Empty if this is not TLS, or TLS without a host name. */
    public static Optional<String> serverName(byte[] first) throws BadMessageException {
        if (first.length == 0 || first[0] != HANDSHAKE) {
            return Optional.empty();
        }
        try {
            var record = ByteBuffer.wrap(first);
            record.position(HEADER);
            return name(part(record, length(first)));
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException e) {
            // Possibly split into several records, which no common client does.
            throw new BadMessageException("a TLS greeting that cannot be read");
        }
    }

    private static Optional<String> name(ByteBuffer handshake) throws BadMessageException {
        if (handshake.get() != CLIENT_HELLO) {
            throw new BadMessageException("a TLS handshake that does not begin with a greeting");
        }
        var hello = part(handshake, ((handshake.get() & 0xFF) << 16) | number(handshake));
        part(hello, 2 + 32); // version, random
        part(hello, hello.get() & 0xFF); // session
        part(hello, number(hello)); // ciphers
        part(hello, hello.get() & 0xFF); // compression
        if (!hello.hasRemaining()) {
            return Optional.empty();
        }
        var extensions = part(hello, number(hello));
        while (extensions.hasRemaining()) {
            int type = number(extensions);
            var extension = part(extensions, number(extensions));
            if (type == SERVER_NAME) {
                var names = part(extension, number(extension));
                names.get(); // its kind; there is only one
                var name = part(names, number(names));
                return Optional.of(StandardCharsets.ISO_8859_1.decode(name).toString());
            }
        }
        return Optional.empty();
    }

    private static int number(ByteBuffer bytes) {
        return bytes.getShort() & 0xFFFF;
    }

    private static ByteBuffer part(ByteBuffer bytes, int length) {
        var part = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        return part;
    }

    private ClientHello() {}
}
