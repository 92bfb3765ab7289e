package dev.ash.server.egress.http;

import java.io.IOException;
import java.util.regex.Pattern;

/** The request line and the headers of a request. */
public record RequestHead(String method, String target, boolean http11, Headers headers) {
    private static final Pattern METHOD = Pattern.compile("[A-Z]{1,20}");
    private static final Pattern TARGET = Pattern.compile("[\\x21-\\x7E&&[^#\"<>\\\\^`{|}]]+");

    /** The proxy ignores the value, but an upstream host may use it: no list, user name or path. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:\\[\\]-]*");

    static RequestHead read(HttpInput in) throws IOException {
        var line = in.readLine(EgressLimits.MAX_HEAD_BYTES);
        var words = line.split(" ", -1);
        if (words.length != 3) {
            throw new BadMessageException("an invalid request line");
        }
        if (!words[2].equals("HTTP/1.1") && !words[2].equals("HTTP/1.0")) {
            throw new BadMessageException("an unsupported HTTP version", 505);
        }
        if (!METHOD.matcher(words[0]).matches() || hasBadTarget(words[1])) {
            throw new BadMessageException("invalid characters in its method or target");
        }
        var headers = Headers.read(in, EgressLimits.MAX_HEAD_BYTES - line.length());
        boolean http11 = words[2].equals("HTTP/1.1");
        if (headers.values("host").size() > 1 || (http11 && !headers.has("host"))) {
            throw new BadMessageException("no Host header or more than one");
        }
        if (!headers.values("host").stream().allMatch(host -> HOST.matcher(host).matches())) {
            throw new BadMessageException("invalid characters in its Host header");
        }
        return new RequestHead(words[0], words[1], http11, headers);
    }

    static boolean hasBadTarget(String target) {
        return !TARGET.matcher(target).matches();
    }

    public boolean keepsAlive() {
        return http11
                && !headers.containsToken("connection", "close")
                && !headers.containsToken("proxy-connection", "close");
    }

    boolean expectsContinue() {
        return http11 && headers.containsToken("expect", "100-continue");
    }
}
