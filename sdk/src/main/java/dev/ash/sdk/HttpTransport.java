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

/** HTTP/1.1 on a socket, one connection a request. Holds no state, so any thread may call it. */
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

    /** The head of the answer; the caller reads the body and closes. */
    HttpAnswer exchange(HttpCall call) {
        var socket = connect(call.silence());
        try {
            return exchange(socket, call);
        } catch (IOException e) {
            close(socket);
            throw new ConnectionLostException(
                    "The connection to %s was lost while waiting for the answer to %s %s: %s."
                            .formatted(server, call.method(), path(call), e.getMessage()),
                    e);
        }
    }

    private HttpAnswer exchange(Socket socket, HttpCall call) throws IOException {
        var in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
        IOException unsent = send(socket, call);
        try {
            refuseTls(in);
            var head = HttpHead.readFinal(in);
            return new HttpAnswer(
                    head.status(), head.reason(), head.headers(), head.body(in), socket);
        } catch (IOException e) {
            throw unsent == null ? e : unsent;
        }
    }

    /** Some TLS servers answer plain HTTP with an alert, which is no text. */
    private static void refuseTls(BufferedInputStream in) throws IOException {
        in.mark(1);
        if (in.read() == TLS_ALERT) {
            throw new IOException("the port speaks TLS; use https://");
        }
        in.reset();
    }

    /**
     * A server that refuses a large body answers and closes before it has read all of it. The
     * failure to send is therefore kept until it is clear that there is no answer.
     */
    private @Nullable IOException send(Socket socket, HttpCall call) {
        try {
            // Buffered, so that head and body leave in one packet where they fit into one.
            var out = new BufferedOutputStream(socket.getOutputStream(), 64 * 1024);
            out.write(head(call).getBytes(StandardCharsets.ISO_8859_1));
            if (call.body() != null) {
                call.body().writeTo(out);
            }
            out.flush();
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private String head(HttpCall call) {
        var head = new StringBuilder(256);
        head.append(call.method()).append(' ').append(call.target()).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(server.getRawAuthority()).append("\r\n");
        head.append("User-Agent: ash-sdk-java\r\nConnection: close\r\n");
        head.append("Accept: ").append(call.accept()).append("\r\n");
        if (apiKey != null) {
            head.append("Authorization: Bearer ").append(apiKey).append("\r\n");
        }
        head.append("X-Ash-Source: ").append(source).append("\r\n");
        call.headers().forEach((name, value) -> line(head, name, value));
        var body = call.body();
        if (body != null) {
            head.append("Content-Type: application/json\r\n");
            head.append("Content-Length: ").append(body.length()).append("\r\n");
        } else if (!call.method().equals("GET")) {
            head.append("Content-Length: 0\r\n");
        }
        return head.append("\r\n").toString();
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private Socket connect(Duration silence) {
        IOException failure = new IOException("no address");
        try {
            for (var address : InetAddress.getAllByName(server.getHost())) {
                try {
                    return connect(address, silence);
                } catch (IOException e) {
                    failure = e; // the next address may answer: localhost has two
                }
            }
        } catch (UnknownHostException e) {
            failure = new IOException("no host of that name", e);
        }
        throw new ServerUnreachableException(
                "No Ash server answers at %s (%s). Start one with `ash start`, or set ASH_SERVER_URL to where it runs."
                        .formatted(server, failure.getMessage()),
                failure);
    }

    private Socket connect(InetAddress address, Duration silence) throws IOException {
        var socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address, port()), (int) connectTimeout.toMillis());
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            socket.setSoTimeout((int) connectTimeout.toMillis()); // for the handshake
            var connected = isTls() ? tls.over(socket, port()) : socket;
            connected.setSoTimeout((int) silence.toMillis());
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

    private static String path(HttpCall call) {
        int query = call.target().indexOf('?');
        return query < 0 ? call.target() : call.target().substring(0, query);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It was to go away in any case.
        }
    }
}
