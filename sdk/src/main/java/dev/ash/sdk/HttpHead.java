package dev.ash.sdk;

import dev.ash.protocol.Excerpt;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Status line and headers of a response. Header names are in lower case. */
record HttpHead(int status, String reason, Map<String, String> headers) {
    static final int MAX_BYTES = 64 * 1024;
    private static final int MAX_INTERIM = 10;
    private static final Pattern STATUS =
            Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})(?: (.*))?");
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,15}");
    private static final String CODING = "transfer-encoding";
    private static final String CONTENT_LENGTH = "content-length";
    private static final Set<String> SINGLE = Set.of(CODING, CONTENT_LENGTH);

    /** Reads a response head, skipping interim responses such as 100 Continue. */
    static HttpHead readFinal(InputStream in) throws IOException {
        for (int i = 0; i < MAX_INTERIM; i++) {
            var head = read(in);
            if (head.status() >= 200) {
                return head;
            }
        }
        throw new IOException("more than " + MAX_INTERIM + " interim responses");
    }

    private static HttpHead read(InputStream in) throws IOException {
        var statusLine = readLine(in, MAX_BYTES);
        var status = STATUS.matcher(statusLine);
        if (!status.matches()) {
            throw new IOException("not an HTTP response: " + abbreviated(statusLine));
        }
        var reason = status.group(2);
        var headers = headers(in, MAX_BYTES - statusLine.length());
        if (headers.keySet().containsAll(SINGLE)) {
            throw new IOException("conflicting Content-Length or Transfer-Encoding headers");
        }
        return new HttpHead(
                Integer.parseInt(status.group(1)), reason == null ? "" : reason, headers);
    }

    /** Reads header or trailer lines up to the empty line. Rejects folded lines. */
    static Map<String, String> headers(InputStream in, int maxBytes) throws IOException {
        var headers = new HashMap<String, String>();
        int budget = maxBytes;
        for (var line = readLine(in, budget); !line.isEmpty(); line = readLine(in, budget)) {
            budget = Math.max(0, budget - line.length() - 2);
            int colon = line.indexOf(':');
            if (colon < 1 || !NAME.matcher(line.substring(0, colon)).matches()) {
                throw new IOException("invalid header line: " + abbreviated(line));
            }
            var name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            var earlier = headers.put(name, line.substring(colon + 1).strip());
            if (earlier != null && SINGLE.contains(name)) {
                throw new IOException("conflicting Content-Length or Transfer-Encoding headers");
            }
        }
        return headers;
    }

    /** Returns the body that follows this head. */
    InputStream body(InputStream in) throws IOException {
        var framed = framed(in);
        return status == 204 || status == 304 ? InputStream.nullInputStream() : framed;
    }

    private InputStream framed(InputStream in) throws IOException {
        var coding = headers.get(CODING);
        if (coding != null) {
            if (!coding.equalsIgnoreCase("chunked")) {
                throw new IOException("unsupported transfer encoding; only chunked is supported");
            }
            return new ChunkedInputStream(in);
        }
        var length = headers.get(CONTENT_LENGTH);
        if (length == null) {
            return in; // until the connection ends
        }
        if (!LENGTH.matcher(length).matches()) {
            throw new IOException("invalid Content-Length: " + abbreviated(length));
        }
        return new FixedLengthInputStream(in, Long.parseLong(length));
    }

    /**
     * Reads a line without its CR LF. Rejects lines longer than {@code budget} and control
     * characters.
     */
    static String readLine(InputStream in, int budget) throws IOException {
        var line = new ByteArrayOutputStream(64);
        while (true) {
            int b = in.read();
            if (b < 0) {
                throw new EOFException("the server closed the connection without a response");
            }
            if (b == '\r') {
                if (in.read() != '\n') {
                    throw new IOException("CR without LF");
                }
                return line.toString(StandardCharsets.ISO_8859_1);
            }
            if ((b < ' ' && b != '\t') || b == 0x7F) {
                throw new IOException("control character, or LF without CR, in the response head");
            }
            if (line.size() >= budget) {
                throw new IOException("response head exceeds " + MAX_BYTES + " bytes");
            }
            line.write(b);
        }
    }

    private static String abbreviated(String text) {
        return Excerpt.of(text, 60);
    }
}
