package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Base64;

/**
 * Decodes base64 that may contain line breaks. Invalid input causes an {@link ApiException} that
 * names the content. Decodes in blocks: the JDK's streaming decoder takes ten times as long.
 */
final class Base64Stream extends InputStream {
    private static final int BLOCK = 16 * 1024; // a multiple of 4

    private final String name;
    private final InputStream base64;
    private final byte[] read = new byte[BLOCK];
    private final byte[] characters = new byte[BLOCK + 3]; // without line breaks
    private int undecoded; // number of characters
    private byte[] decoded = {};
    private int position; // in the decoded bytes
    private boolean isPadded;
    private boolean isAtEnd;

    Base64Stream(String name, InputStream base64) {
        this.name = name;
        this.base64 = base64;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        while (position == decoded.length) {
            if (isAtEnd) {
                return length == 0 ? 0 : -1;
            }
            decodeBlock();
        }
        int count = Math.min(length, decoded.length - position);
        System.arraycopy(decoded, position, bytes, offset, count);
        position += count;
        return count;
    }

    private void decodeBlock() throws IOException {
        int count = base64.read(read);
        isAtEnd = count < 0;
        append(count);
        int complete = isAtEnd ? undecoded : undecoded - undecoded % 4;
        try {
            decoded = Base64.getDecoder().decode(Arrays.copyOf(characters, complete));
        } catch (IllegalArgumentException e) {
            throw invalid();
        }
        position = 0;
        System.arraycopy(characters, complete, characters, 0, undecoded - complete);
        undecoded -= complete;
    }

    /** Appends the bytes that were read, without line breaks. */
    private void append(int count) {
        int end = undecoded;
        for (int i = 0; i < count; i++) {
            byte c = read[i];
            if (c != '\r' && c != '\n') {
                if (isPadded && c != '=') {
                    throw invalid(); // data after padding; the decoder sees only blocks
                }
                isPadded = c == '=';
                characters[end++] = c;
            }
        }
        undecoded = end;
    }

    private ApiException invalid() {
        return ApiException.invalid(name, "the content must be base64");
    }

    @Override
    public void close() throws IOException {
        base64.close();
    }
}
