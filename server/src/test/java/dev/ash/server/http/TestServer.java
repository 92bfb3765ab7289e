package dev.ash.server.http;

import dev.ash.protocol.TenantId;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A server on a free port, with two clients. */
final class TestServer implements AutoCloseable {
    static final String KEY = "ash_test";
    static final Identity CALLER = new ApiKeyIdentity(TenantId.DEFAULT, "key-1", Scope.ALL);

    final int port;
    private final HttpServer server;

    TestServer(Endpoint... endpoints) {
        this(Duration.ofSeconds(30), endpoints);
    }

    TestServer(Duration stalledReader, Endpoint... endpoints) {
        this(config(stalledReader, Set.of(), Set.of()), endpoints);
    }

    TestServer(HttpConfig config, Endpoint... endpoints) {
        server =
                new HttpServer(
                        config,
                        TestIdentities.authenticator(
                                key -> key.equals(KEY) ? Optional.of(CALLER) : Optional.empty()),
                        List.of(endpoints));
        port = server.start();
    }

    static HttpConfig config(Duration stalledReader, Set<String> hosts, Set<String> origins) {
        return new HttpConfig(
                "127.0.0.1", 0, stalledReader, Duration.ofSeconds(1), hosts, origins, 0);
    }

    RawClient raw() throws IOException {
        return new RawClient(port);
    }

    /** Sends a request with a key by the JDK's client. */
    Response call(String method, String path, String body) throws IOException {
        var connection =
                (HttpURLConnection)
                        URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setRequestProperty("Authorization", "Bearer " + KEY);
        if (!body.isEmpty()) {
            connection.setDoOutput(true);
            connection.setRequestProperty("Content-Type", "application/json");
            connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
        }
        int status = connection.getResponseCode();
        try (var in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            var text = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Response(status, text);
        }
    }

    Response get(String path) throws IOException {
        return call("GET", path, "");
    }

    record Response(int status, String body) {}

    @Override
    public void close() {
        server.close();
    }
}
