package dev.ash.server.egress.http;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The first line and the headers of a response. */
public record ResponseHead(int status, String reason, Headers headers) {
    private static final Pattern LINE = Pattern.compile("HTTP/1\\.[01] ([1-5][0-9]{2})(?: (.*))?");
    private static final int MAX_INTERIM = 10;

    /** Reads the final head; skips interim responses, which concern this connection only. */
    static ResponseHead read(HttpInput in) throws IOException {
        for (int i = 0; i < MAX_INTERIM; i++) {
            var head = one(in);
            if (head.status == 101) {
                throw new BadMessageException("an answer that switches protocols, unasked");
            }
            if (head.status >= 200) {
                return head;
            }
        }
        throw new BadMessageException("interim answers without end");
    }

    private static ResponseHead one(HttpInput in) throws IOException {
        var line = in.line(EgressLimits.MAX_HEAD_BYTES);
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new BadMessageException("a first line that is no answer");
        }
        var reason = matcher.group(2);
        return new ResponseHead(
                Integer.parseInt(matcher.group(1)),
                reason == null ? "" : reason,
                Headers.read(in, EgressLimits.MAX_HEAD_BYTES));
    }
}
