package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;

/** What base64 stands for; what is not base64 is an {@link ApiException} that names it. */
final class Base64Stream extends FilterInputStream {
    private final String name;

    Base64Stream(String name, InputStream base64) {
        super(
                Base64.getMimeDecoder()
                        .wrap(new Strict(name, new BufferedInputStream(base64, 16 * 1024))));
        this.name = name;
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        try {
            return super.read(bytes, offset, length);
        } catch (IOException e) {
            throw refused(name);
        }
    }

    private static ApiException refused(String name) {
        return ApiException.invalid(name, "the content must be base64");
    }

    /** The lenient decoder skips whatever is not base64; only line breaks may be skipped. */
    private static final class Strict extends FilterInputStream {
        private final String name;

        private Strict(String name, InputStream in) {
            super(in);
            this.name = name;
        }

        @Override
        public int read() throws IOException {
            int c = super.read();
            if (c >= 0) {
                check(c);
            }
            return c;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = super.read(bytes, offset, length);
            for (int i = offset; i < offset + count; i++) {
                check(bytes[i]);
            }
            return count;
        }

        private void check(int c) {
            boolean known =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || "+/=\r\n".indexOf(c) >= 0;
            if (!known) {
                throw refused(name);
            }
        }
    }
}
