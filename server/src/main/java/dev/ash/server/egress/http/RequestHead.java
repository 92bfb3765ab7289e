package dev.ash.server.egress.http;

import java.io.IOException;
import java.util.regex.Pattern;

/** The first line and the headers of a request. */
public record RequestHead(String method, String target, boolean http11, Headers headers) {
    private static final Pattern METHOD = Pattern.compile("[A-Z]{1,20}");
    private static final Pattern TARGET = Pattern.compile("[\\x21-\\x7E&&[^#\"<>\\\\^`{|}]]+");

    /** The proxy ignores the value, but upstream may use it: no list, user name or path. */
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:\\[\\]-]*");

    static RequestHead read(HttpInput in) throws IOException {
        var line = in.line(EgressLimits.MAX_HEAD_BYTES);
        var words = line.split(" ", -1);
        if (words.length != 3) {
            throw new BadMessageException("a first line that is no request");
        }
        if (!words[2].equals("HTTP/1.1") && !words[2].equals("HTTP/1.0")) {
            throw new BadMessageException("a version other than HTTP/1.1", 505);
        }
        if (!METHOD.matcher(words[0]).matches() || hasBadTarget(words[1])) {
            throw new BadMessageException("a method or target with characters that it cannot have");
        }
        var headers = Headers.read(in, EgressLimits.MAX_HEAD_BYTES - line.length());
        boolean http11 = words[2].equals("HTTP/1.1");
        if (headers.values("host").size() > 1 || (http11 && !headers.has("host"))) {
            throw new BadMessageException("a request without exactly one Host header");
        }
        if (!headers.values("host").stream().allMatch(host -> HOST.matcher(host).matches())) {
            throw new BadMessageException("a Host header with characters that no host has");
        }
        return new RequestHead(words[0], words[1], http11, headers);
    }

    static boolean hasBadTarget(String target) {
        return !TARGET.matcher(target).matches();
    }

    public boolean keepsAlive() {
        return http11
                && !headers.lists("connection", "close")
                && !headers.lists("proxy-connection", "close");
    }

    boolean expectsContinue() {
        return http11 && headers.lists("expect", "100-continue");
    }
}
