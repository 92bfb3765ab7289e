package dev.ash.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.ash.protocol.json.RawJson;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.EventStream;
import dev.ash.sdk.ReconnectPolicy;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Calls every method of the Java client, found by reflection, against a server that answers 404 to
 * everything and records the requests.
 */
final class SdkCalls {
    /** Request with its method, path, and names of query parameters. */
    record Request(String method, String path, Set<String> query) {}

    private static final String ID = "3f0c1f0e-54a3-4a8e-9a0b-0d3a5d1f2c11";

    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Path agent;

    private SdkCalls(Path agent) {
        this.agent = agent;
    }

    /** Returns all requests; {@code agent} is a directory that can be deployed. */
    static List<Request> record(Path agent) throws Exception {
        var calls = new SdkCalls(agent);
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", calls::answer);
        server.start();
        try {
            var url = "http://127.0.0.1:" + server.getAddress().getPort();
            var client = new AshClient(url, "key").with(ReconnectPolicy.of(Duration.ZERO));
            calls.callAll(client);
            for (var method : methods(AshClient.class)) {
                if (method.getReturnType().getSimpleName().endsWith("Client")
                        && method.getReturnType() != AshClient.class) {
                    calls.callAll(method.invoke(client));
                }
            }
        } finally {
            server.stop(0);
        }
        return calls.requests;
    }

    private void callAll(Object client) throws Exception {
        for (var method : methods(client.getClass())) {
            if (!method.getReturnType().getSimpleName().endsWith("Client")) {
                call(client, method);
            }
        }
    }

    private static List<Method> methods(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .toList();
    }

    private void call(Object client, Method method) throws Exception {
        var arguments = Arrays.stream(method.getParameterTypes()).map(this::value).toArray();
        try {
            if (method.invoke(client, arguments) instanceof EventStream stream) {
                try (stream) {
                    stream.next();
                }
            }
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof AshApiException)) {
                throw new AssertionError(method + " failed", e.getCause());
            }
        } catch (AshApiException e) {
            // 404 of a stream that connects on its first read
        }
    }

    /** Returns a non-null value, so that optional query parameters are sent as well. */
    private Object value(Class<?> type) {
        if (type == String.class) {
            return ID;
        }
        if (type == int.class || type == Integer.class) {
            return 1;
        }
        if (type == long.class || type == Long.class) {
            return 1L;
        }
        if (type == double.class || type == Double.class) {
            return 1.0;
        }
        if (type == boolean.class || type == Boolean.class) {
            return true;
        }
        if (type == byte[].class) {
            return new byte[0];
        }
        if (type == List.class) {
            return List.of();
        }
        if (type == Map.class) {
            return Map.of();
        }
        if (type == Path.class) {
            return agent;
        }
        if (type == Duration.class) {
            return Duration.ofMillis(1);
        }
        if (type == RawJson.class) {
            return RawJson.EMPTY_OBJECT;
        }
        if (type.isRecord()) {
            return newRecord(type);
        }
        throw new AssertionError("Add a value for " + type);
    }

    private Object newRecord(Class<?> type) {
        var types =
                Arrays.stream(type.getRecordComponents())
                        .map(component -> component.getType())
                        .toArray(Class<?>[]::new);
        try {
            return type.getConstructor(types)
                    .newInstance(Arrays.stream(types).map(this::value).toArray());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("Cannot create " + type, e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        var uri = exchange.getRequestURI();
        var query = uri.getRawQuery() == null ? "" : uri.getRawQuery();
        requests.add(
                new Request(
                        exchange.getRequestMethod(),
                        uri.getPath(),
                        Stream.of(query.split("&"))
                                .map(pair -> pair.replaceFirst("=.*", ""))
                                .collect(Collectors.toSet())));
        exchange.getRequestBody().readAllBytes();
        var body =
                "{\"error\":\"none\",\"code\":\"ROUTE_NOT_FOUND\",\"statusCode\":404}"
                        .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(404, body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }
}
