package dev.ash.server.egress.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The header lines of one message, in their order. */
public record Headers(List<Header> all) {
    public record Header(String name, String value) {
        boolean hasName(String other) {
            return name.equalsIgnoreCase(other);
        }
    }

    /** Headers that concern one connection, not the message. */
    private static final Set<String> HOP_BY_HOP =
            Set.of(
                    "connection",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "content-length", // added again with the framing
                    "upgrade",
                    "http2-settings",
                    "expect");

    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    public Headers {
        all = List.copyOf(all);
    }

    static Headers read(HttpInput in, int maxBytes) throws IOException {
        var headers = new ArrayList<Header>();
        int remaining = maxBytes;
        for (var line = in.readLine(remaining); !line.isEmpty(); line = in.readLine(remaining)) {
            remaining = Math.max(0, remaining - line.length() - 2);
            if (headers.size() == EgressLimits.MAX_HEADERS) {
                throw new BadMessageException("too many headers", 431);
            }
            headers.add(parseLine(line));
        }
        return new Headers(headers);
    }

    /** Rejects folded lines too: they start with a space, which is not allowed in a name. */
    private static Header parseLine(String line) throws BadMessageException {
        int colon = line.indexOf(':');
        if (colon < 1 || !TOKEN.matcher(line.substring(0, colon)).matches()) {
            throw new BadMessageException("a header line without a valid name");
        }
        return new Header(line.substring(0, colon), line.substring(colon + 1).strip());
    }

    static boolean isToken(String text) {
        return TOKEN.matcher(text).matches();
    }

    public List<String> values(String name) {
        return all.stream().filter(header -> header.hasName(name)).map(Header::value).toList();
    }

    public boolean has(String name) {
        return all.stream().anyMatch(header -> header.hasName(name));
    }

    boolean containsToken(String name, String token) {
        return values(name).stream()
                .flatMap(value -> Arrays.stream(value.split(",")))
                .anyMatch(item -> item.strip().equalsIgnoreCase(token));
    }

    /** Removes hop-by-hop headers: those of the standard and those listed in {@code Connection}. */
    public Headers endToEnd() {
        var named =
                values("connection").stream()
                        .flatMap(value -> Arrays.stream(value.split(",")))
                        .map(name -> name.strip().toLowerCase(Locale.ROOT))
                        .collect(Collectors.toSet());
        return without(named).without(HOP_BY_HOP);
    }

    public Headers without(Set<String> lowerCaseNames) {
        return new Headers(
                all.stream()
                        .filter(h -> !lowerCaseNames.contains(h.name().toLowerCase(Locale.ROOT)))
                        .toList());
    }

    public Headers with(String name, String value) {
        var more = new ArrayList<>(all);
        more.add(new Header(name, value));
        return new Headers(more);
    }

    void appendTo(StringBuilder text) {
        for (var header : all) {
            text.append(header.name()).append(": ").append(header.value()).append("\r\n");
        }
    }
}
