package dev.ash.server.egress.http;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The status line and the headers of a response.
 *
 * @param keepsAlive whether the connection can be used for another request
 */
public record ResponseHead(int status, String reason, Headers headers, boolean keepsAlive) {
    private static final Pattern LINE =
            Pattern.compile("HTTP/1\\.([01]) ([1-5][0-9]{2})(?: (.*))?");
    private static final int MAX_INTERIM_RESPONSES = 10;

    /** Reads the head of the final response; skips interim responses, which are hop-by-hop. */
    static ResponseHead read(HttpInput in) throws IOException {
        for (int i = 0; i < MAX_INTERIM_RESPONSES; i++) {
            var head = readOne(in);
            if (head.status == 101) {
                throw new BadMessageException("an unsolicited 101 response");
            }
            if (head.status >= 200) {
                return head;
            }
        }
        throw new BadMessageException("too many interim responses");
    }

    private static ResponseHead readOne(HttpInput in) throws IOException {
        var line = in.readLine(EgressLimits.MAX_HEAD_BYTES);
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new BadMessageException("an invalid status line");
        }
        var reason = matcher.group(3);
        var headers = Headers.read(in, EgressLimits.MAX_HEAD_BYTES);
        return new ResponseHead(
                Integer.parseInt(matcher.group(2)),
                reason == null ? "" : reason,
                headers,
                matcher.group(1).equals("1") && !headers.containsToken("connection", "close"));
    }

    /** Returns the bytes of this head for the client, which requested it with {@code method}. */
    byte[] encode(String method, Framing framing, boolean keepsClientAlive) {
        var text = new StringBuilder("HTTP/1.1 " + status + " " + reason + "\r\n");
        var outgoing = framing.declareIn(headers.endToEnd());
        if (method.equals("HEAD")) {
            // The length of the body that a GET would have.
            for (var length : headers.values("content-length")) {
                outgoing = outgoing.with("Content-Length", length);
            }
        }
        if (!keepsClientAlive) {
            outgoing = outgoing.with("Connection", "close");
        }
        outgoing.appendTo(text);
        return HttpInput.bytes(text.append("\r\n").toString());
    }
}
