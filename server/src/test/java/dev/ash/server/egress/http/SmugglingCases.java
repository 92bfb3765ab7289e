package dev.ash.server.egress.http;

import java.util.ArrayList;
import java.util.List;

/** Messages that two parsers may read differently, and ordinary messages to mutate. */
public final class SmugglingCases {
    private static final String NEXT = "GET /next HTTP/1.1\r\nHost: n\r\n\r\n";

    /** Header blocks for a message with a body of 5 bytes or one chunk. */
    public static final List<String> FRAMINGS =
            List.of(
                    "",
                    "Content-Length: 5\r\n",
                    "content-length:5\r\n",
                    "Content-Length:\t5\t\r\n",
                    "Content-Length: 5\r\nContent-Length: 5\r\n",
                    "Content-Length: 5\r\nContent-Length: 6\r\n",
                    "Content-Length: 5, 5\r\n",
                    "Content-Length: 5,6\r\n",
                    "Content-Length: 5;\r\n",
                    "Content-Length: +5\r\n",
                    "Content-Length: -5\r\n",
                    "Content-Length: 05\r\n",
                    "Content-Length: 0x5\r\n",
                    "Content-Length: 5 5\r\n",
                    "Content-Length: 5.0\r\n",
                    "Content-Length: 5e0\r\n",
                    "Content-Length: \r\n",
                    "Content-Length: \u00b5\r\n",
                    "Content-Length: 9223372036854775807\r\n",
                    "Content-Length: 9223372036854775808\r\n",
                    "Content-Length: 18446744073709551621\r\n",
                    "Content-Length : 5\r\n",
                    "Content-Length\t: 5\r\n",
                    " Content-Length: 5\r\n",
                    "Content-Length\r\n : 5\r\n",
                    "Content-Length:\r\n 5\r\n",
                    "Content-Length\0: 5\r\n",
                    "Content-Length: 5\0\r\n",
                    "Content_Length: 5\r\n",
                    "X: y\nContent-Length: 5\r\n",
                    "X: y\rContent-Length: 5\r\n",
                    "X: y\r\r\nContent-Length: 5\r\n",
                    "X: y\u000bContent-Length: 5\r\n",
                    "X: y\u0085Content-Length: 5\r\n",
                    "Transfer-Encoding: chunked\r\n",
                    "transfer-encoding: Chunked\r\n",
                    "TRANSFER-ENCODING: CHUNKED\r\n",
                    "Transfer-Encoding:\tchunked\t\r\n",
                    "Transfer-Encoding: chunked \r\n",
                    "Transfer-Encoding: xchunked\r\n",
                    "Transfer-Encoding: chunkedx\r\n",
                    "Transfer-Encoding: \"chunked\"\r\n",
                    "Transfer-Encoding: 'chunked'\r\n",
                    "Transfer-Encoding: chunked;q=1\r\n",
                    "Transfer-Encoding: chunked, identity\r\n",
                    "Transfer-Encoding: identity, chunked\r\n",
                    "Transfer-Encoding: identity\r\n",
                    "Transfer-Encoding: gzip, chunked\r\n",
                    "Transfer-Encoding: chunked, chunked\r\n",
                    "Transfer-Encoding: chunked,\r\n",
                    "Transfer-Encoding: ,chunked\r\n",
                    "Transfer-Encoding: \r\n",
                    "Transfer-Encoding: \u000bchunked\r\n",
                    "Transfer-Encoding: \u00a0chunked\r\n",
                    "Transfer-Encoding: chunked\u0085\r\n",
                    "Transfer-Encoding:\r\n chunked\r\n",
                    "Transfer-Encoding: x\r\n chunked\r\n",
                    "Transfer-Encoding : chunked\r\n",
                    "Transfer-Encoding\u00a0: chunked\r\n",
                    "X: y\nTransfer-Encoding: chunked\r\n",
                    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                    "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
                    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                    "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n",
                    "Connection: close, Content-Length\r\nContent-Length: 5\r\n",
                    "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n");

    public static final List<String> BODIES =
            List.of(
                    "hello",
                    "5\r\nhello\r\n0\r\n\r\n",
                    "05\r\nhello\r\n00\r\n\r\n",
                    "5\nhello\n0\n\n",
                    "5\r\nhello\n0\r\n\r\n",
                    "5\rhello\r\n0\r\n\r\n",
                    "5\r\nhello0\r\n\r\n",
                    "5\r\nhelloXX0\r\n\r\n",
                    "5\r\nhello\r\n0\r\n",
                    "5\r\nhello\r\n0\n\n",
                    "5 \r\nhello\r\n0\r\n\r\n",
                    " 5\r\nhello\r\n0\r\n\r\n",
                    "5\t\r\nhello\r\n0\r\n\r\n",
                    "+5\r\nhello\r\n0\r\n\r\n",
                    "-5\r\nhello\r\n0\r\n\r\n",
                    "0x5\r\nhello\r\n0\r\n\r\n",
                    "5h\r\nhello\r\n0\r\n\r\n",
                    "5_\r\nhello\r\n0\r\n\r\n",
                    "\u0665\r\nhello\r\n0\r\n\r\n",
                    "\r\nhello\r\n0\r\n\r\n",
                    ";a\r\nhello\r\n0\r\n\r\n",
                    "100000005\r\nhello\r\n0\r\n\r\n",
                    "80000005\r\nhello\r\n0\r\n\r\n",
                    "10000000000000005\r\nhello\r\n0\r\n\r\n",
                    "fffffffffffffffb\r\nhello\r\n0\r\n\r\n",
                    "5;a\r\nhello\r\n0\r\n\r\n",
                    "5;a=b;c\r\nhello\r\n0;d=e\r\n\r\n",
                    "5 ; a = b\r\nhello\r\n0\r\n\r\n",
                    "5;\r\nhello\r\n0\r\n\r\n",
                    "5;a=\"b\"\r\nhello\r\n0\r\n\r\n",
                    "5;a=\"b;c\"\r\nhello\r\n0\r\n\r\n",
                    "5;a=\"\r\nhello\r\n0\r\n\r\n",
                    "5;a=\"\\\"\r\nhello\r\n0\r\n\r\n",
                    "5;a=\"x\r\ny\"\r\nhello\r\n0\r\n\r\n",
                    "5;a\nhello\r\n0\r\n\r\n",
                    "5;a\rhello\r\n0\r\n\r\n",
                    "5;a\0\r\nhello\r\n0\r\n\r\n",
                    "5;=\r\nhello\r\n0\r\n\r\n",
                    "5;;;\r\nhello\r\n0\r\n\r\n",
                    "5,a\r\nhello\r\n0\r\n\r\n",
                    "5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
                    "5\r\nhello\r\n0\r\nContent-Length: 99\r\n\r\n",
                    "5\r\nhello\r\n0\r\n folded\r\n\r\n",
                    "5\r\nhello\r\n0\r\nT: x\n\r\n",
                    "5\r\nhello\r\n0\r\nT : x\r\n\r\n",
                    "5\r\nhello\r\n0\r\nnonsense\r\n\r\n",
                    "0\r\n\r\n",
                    "");

    public static final List<String> REQUEST_LINES =
            List.of(
                    "POST / HTTP/1.1",
                    "GET / HTTP/1.1",
                    "GET / HTTP/1.0",
                    "GET /",
                    "GET / HTTP/0.9",
                    "GET / HTTP/1.2",
                    "GET / HTTP/2.0",
                    "PRI * HTTP/2.0",
                    "GET / http/1.1",
                    "GET / HTTP/1.1 ",
                    "GET / HTTP/01.1",
                    "GET / HTTP/1.1\t",
                    "GET  / HTTP/1.1",
                    "GET\t/ HTTP/1.1",
                    " GET / HTTP/1.1",
                    "\r\nGET / HTTP/1.1",
                    "GET / HTTP/1.1\n",
                    "get / HTTP/1.1",
                    "G@T / HTTP/1.1",
                    "GET\0 / HTTP/1.1",
                    "GET /a b HTTP/1.1",
                    "GET /a\u00e4 HTTP/1.1",
                    "GET /a%0d%0aHost:%20x HTTP/1.1",
                    "GET /a#b HTTP/1.1",
                    "GET * HTTP/1.1",
                    "OPTIONS * HTTP/1.1",
                    "GET http://a.example/x HTTP/1.1",
                    "GET HTTP://A.example:81/x?y HTTP/1.1",
                    "GET http://a.example HTTP/1.1",
                    "GET http://a.example?x HTTP/1.1",
                    "GET http://user@a.example/ HTTP/1.1",
                    "GET http://user:p@ss@a.example/ HTTP/1.1",
                    "GET http://a.example:80:81/ HTTP/1.1",
                    "GET http://a.example:/ HTTP/1.1",
                    "GET http://a.example:080/ HTTP/1.1",
                    "GET http://a.example:99999/ HTTP/1.1",
                    "GET http://a.example#@b.example/ HTTP/1.1",
                    "GET http://a.example\\@b.example/ HTTP/1.1",
                    "GET http://a.example%2eb/ HTTP/1.1",
                    "GET http://[::1]:80/ HTTP/1.1",
                    "GET http://[::1%25lo]/ HTTP/1.1",
                    "GET http://a.example/@b.example/ HTTP/1.1",
                    "GET http://a.example?@b.example/ HTTP/1.1",
                    "GET http://a.example;@b.example/ HTTP/1.1",
                    "GET http:///a.example/ HTTP/1.1",
                    "GET http:a.example/ HTTP/1.1",
                    "GET //a.example/ HTTP/1.1",
                    "CONNECT a.example:443 HTTP/1.1",
                    "CONNECT a.example HTTP/1.1",
                    "CONNECT u@a.example:443 HTTP/1.1",
                    "CONNECT http://a.example:443 HTTP/1.1",
                    "CONNECT /a:443 HTTP/1.1");

    public static final List<String> HOSTS =
            List.of(
                    "Host: a\r\n",
                    "",
                    "Host:\r\n",
                    "Host: a\r\nHost: a\r\n",
                    "Host: a\r\nHost: b\r\n",
                    "Host: a, b\r\n",
                    "Host : a\r\n",
                    "Host:\r\n a\r\n",
                    "Host: a\r\n b\r\n",
                    "Host: a\nHost: b\r\n",
                    "hOST: a:80\r\n",
                    "Host: a\r\nX-Forwarded-Host: b\r\n",
                    "Host: [::1]:80\r\n",
                    "Host: a\0b\r\n");

    public static final List<String> STATUS_LINES =
            List.of(
                    "HTTP/1.1 200 OK",
                    "HTTP/1.1 200",
                    "HTTP/1.1 200 ",
                    "HTTP/1.0 200 OK",
                    "HTTP/1.1 204 No Content",
                    "HTTP/1.1 304 Not Modified",
                    "HTTP/1.1 205 Reset",
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK",
                    "HTTP/1.1 101 Switching",
                    "HTTP/1.1  200 OK",
                    "HTTP/1.1 20 OK",
                    "HTTP/1.1 2000 OK",
                    "HTTP/1.1 +20 OK",
                    "HTTP/1.1 999 OK",
                    "HTTP/1.1 099 OK",
                    "HTTP/2.0 200 OK",
                    "HTTP/0.9 200 OK",
                    "http/1.1 200 OK",
                    "HTTP/1.1\t200 OK",
                    "HTTP/1.1 200 O\0K",
                    "HTTP/1.1 200 OK\n",
                    "ICY 200 OK");

    public static List<String> requests() {
        var all = new ArrayList<String>();
        for (var framing : FRAMINGS) {
            for (var body : BODIES) {
                all.add("POST /first HTTP/1.1\r\nHost: a\r\n" + framing + "\r\n" + body + NEXT);
                all.add("POST /first HTTP/1.0\r\n" + framing + "\r\n" + body + NEXT);
            }
        }
        for (var line : REQUEST_LINES) {
            for (var host : HOSTS) {
                all.add(line + "\r\n" + host + "\r\n" + NEXT);
            }
        }
        return all;
    }

    public static List<String> responses() {
        var all = new ArrayList<String>();
        for (var framing : FRAMINGS) {
            for (var body : BODIES) {
                all.add("HTTP/1.1 200 OK\r\n" + framing + "\r\n" + body + "NEXT");
                all.add("HTTP/1.0 200 OK\r\n" + framing + "\r\n" + body + "NEXT");
            }
        }
        for (var line : STATUS_LINES) {
            for (var framing : List.of("", FRAMINGS.get(1), "Transfer-Encoding: chunked\r\n")) {
                all.add(line + "\r\n" + framing + "\r\n5\r\nhello\r\n0\r\n\r\nNEXT");
            }
        }
        return all;
    }

    private SmugglingCases() {}
}
