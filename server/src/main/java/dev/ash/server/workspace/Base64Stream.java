package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Base64;

/**
 * Decodes base64 that may have line breaks. Anything else is an {@link ApiException} that names the
 * content. It decodes blocks: the streaming decoder of the JDK takes ten times as long.
 */
final class Base64Stream extends InputStream {
    private static final int BLOCK = 16 * 1024; // a multiple of 4

    private final String name;
    private final InputStream base64;
    private final byte[] read = new byte[BLOCK];
    private final byte[] characters = new byte[BLOCK + 3]; // without line breaks
    private int undecoded; // of the characters
    private byte[] decoded = {};
    private int position; // in the decoded bytes
    private boolean isPadded;
    private boolean isOver;

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
            if (isOver) {
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
        isOver = count < 0;
        accept(count);
        int complete = isOver ? undecoded : undecoded - undecoded % 4;
        try {
            decoded = Base64.getDecoder().decode(Arrays.copyOf(characters, complete));
        } catch (IllegalArgumentException e) {
            throw refused();
        }
        position = 0;
        System.arraycopy(characters, complete, characters, 0, undecoded - complete);
        undecoded -= complete;
    }

    /** Takes over what was read, without line breaks. */
    private void accept(int count) {
        int end = undecoded;
        for (int i = 0; i < count; i++) {
            byte c = read[i];
            if (c != '\r' && c != '\n') {
                if (isPadded && c != '=') {
                    throw refused(); // the decoder sees blocks, not that this follows the padding
                }
                isPadded = c == '=';
                characters[end++] = c;
            }
        }
        undecoded = end;
    }

    private ApiException refused() {
        return ApiException.invalid(name, "the content must be base64");
    }

    @Override
    public void close() throws IOException {
        base64.close();
    }
}
