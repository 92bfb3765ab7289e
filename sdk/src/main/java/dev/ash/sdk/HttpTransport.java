package dev.ash.sdk;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sends HTTP/1.1 requests, each on its own connection. Stateless and thread-safe. */
final class HttpTransport {
    private static final int TLS_ALERT = 21;

    private final URI server;
    private final @Nullable String apiKey;
    private final Duration connectTimeout;
    private final String source;
    private final Tls tls;

    HttpTransport(
            URI server, @Nullable String apiKey, Duration connectTimeout, String source, Tls tls) {
        this.server = server;
        this.apiKey = apiKey;
        this.connectTimeout = connectTimeout;
        this.source = source;
        this.tls = tls;
    }

    /** Sends a request and reads the response head. The caller reads the body and closes. */
    HttpResponse exchange(HttpRequest request) {
        var socket = connect(request.readTimeout());
        try {
            return exchange(socket, request);
        } catch (IOException e) {
            close(socket);
            throw new ConnectionLostException(
                    "Lost the connection to %s while waiting for the response to %s %s: %s."
                            .formatted(server, request.method(), path(request), e.getMessage()),
                    e);
        }
    }

    private HttpResponse exchange(Socket socket, HttpRequest request) throws IOException {
        var in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
        IOException sendFailure = send(socket, request);
        try {
            rejectTls(in);
            var head = HttpHead.readFinal(in);
            return new HttpResponse(
                    head.status(), head.reason(), head.headers(), head.body(in), socket);
        } catch (IOException e) {
            throw sendFailure == null ? e : sendFailure;
        }
    }

    /** Detects TLS servers, some of which respond to plain HTTP with a binary TLS alert. */
    private static void rejectTls(BufferedInputStream in) throws IOException {
        in.mark(1);
        if (in.read() == TLS_ALERT) {
            throw new IOException("the port requires TLS; use https://");
        }
        in.reset();
    }

    /**
     * Sends the request and returns the failure, if any. A server that rejects a large body may
     * respond before reading all of it, so the failure matters only if there is no response.
     */
    private @Nullable IOException send(Socket socket, HttpRequest request) {
        try {
            // Buffered, so that a small head and body share a packet.
            var out = new BufferedOutputStream(socket.getOutputStream(), 64 * 1024);
            out.write(head(request).getBytes(StandardCharsets.ISO_8859_1));
            if (request.body() != null) {
                request.body().writeTo(out);
            }
            out.flush();
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private String head(HttpRequest request) {
        var head = new StringBuilder(256);
        head.append(request.method()).append(' ').append(request.target()).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(server.getRawAuthority()).append("\r\n");
        head.append("User-Agent: ash-sdk-java\r\nConnection: close\r\n");
        head.append("Accept: ").append(request.accept()).append("\r\n");
        if (apiKey != null) {
            head.append("Authorization: Bearer ").append(apiKey).append("\r\n");
        }
        head.append("X-Ash-Source: ").append(source).append("\r\n");
        request.headers().forEach((name, value) -> line(head, name, value));
        var body = request.body();
        if (body != null) {
            head.append("Content-Type: application/json\r\n");
            head.append("Content-Length: ").append(body.length()).append("\r\n");
        } else if (!request.method().equals("GET")) {
            head.append("Content-Length: 0\r\n");
        }
        return head.append("\r\n").toString();
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private Socket connect(Duration readTimeout) {
        IOException failure = new IOException("no address");
        try {
            for (var address : InetAddress.getAllByName(server.getHost())) {
                try {
                    return connect(address, readTimeout);
                } catch (IOException e) {
                    failure = e; // try the next address: localhost has two
                }
            }
        } catch (UnknownHostException e) {
            failure = new IOException("unknown host", e);
        }
        throw new ServerUnreachableException(
                "No Ash server responds at %s (%s). Start one with `ash start`, or set ASH_SERVER_URL to its address."
                        .formatted(server, failure.getMessage()),
                failure);
    }

    private Socket connect(InetAddress address, Duration readTimeout) throws IOException {
        var socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address, port()), (int) connectTimeout.toMillis());
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            socket.setSoTimeout((int) connectTimeout.toMillis()); // for the handshake
            var connected = isTls() ? tls.wrap(socket, port()) : socket;
            connected.setSoTimeout((int) readTimeout.toMillis());
            return connected;
        } catch (IOException | RuntimeException e) {
            close(socket);
            throw e;
        }
    }

    private boolean isTls() {
        return server.getScheme().equals("https");
    }

    private int port() {
        return server.getPort() >= 0 ? server.getPort() : isTls() ? 443 : 80;
    }

    private static String path(HttpRequest request) {
        int query = request.target().indexOf('?');
        return query < 0 ? request.target() : request.target().substring(0, query);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is discarded in any case.
        }
    }
}
