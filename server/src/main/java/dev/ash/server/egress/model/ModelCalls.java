package dev.ash.server.egress.model;

import dev.ash.server.egress.http.BadMessageException;
import dev.ash.server.egress.http.Headers;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.ProxyExchange;
import dev.ash.server.egress.http.RequestHead;
import dev.ash.server.egress.http.ResponseObserver;
import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.StaleConnectionException;
import dev.ash.server.egress.http.TimedConnection;
import dev.ash.server.egress.model.request.CallSize;
import dev.ash.server.egress.model.request.RequestPolicy;
import dev.ash.server.egress.model.request.RequestRejectedException;
import dev.ash.server.egress.policy.BlockedRequest;
import dev.ash.server.egress.policy.BlockedRequestReporter;
import dev.ash.server.egress.policy.HostAndPort;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;

/**
 * Serves the calls of one sandbox to its model API. Replaces the sandbox's placeholder with the
 * real credential. Forwards only the calls that engines need, because the same credential also
 * gives access to the files and batches of all other sessions.
 */
public final class ModelCalls {
    private static final long MAX_BODY_BYTES = 64L * 1024 * 1024;
    private static final String KEY_HEADER = "x-api-key";
    private static final String BEARER = "Bearer ";

    /**
     * Not forwarded: replaced with the API's host, the credential, and an encoding for the meter.
     */
    private static final Set<String> REPLACED =
            Set.of("host", KEY_HEADER, "authorization", "accept-encoding", "cookie");

    /** Connects to the model API. */
    @FunctionalInterface
    public interface Connector {
        TimedConnection connect(HostAndPort host, boolean tls) throws IOException;
    }

    private final Predicate<String> isPlaceholder;
    private final ModelSetup setup;
    private final Connector connector;
    private final SandboxConnections connections;
    private final Metering metering;
    private final RequestCounts counts;
    private final BlockedRequestReporter blockedReporter;
    private final Consumer<List<String>> unknownFields;
    private final AtomicLong bodyBytesInFlight = new AtomicLong();

    /** {@code unknownFields} receives the paths of unknown fields, which are forwarded. */
    public ModelCalls(
            Predicate<String> isPlaceholder,
            ModelSetup setup,
            Connector connector,
            SandboxConnections connections,
            Metering metering,
            RequestCounts counts,
            BlockedRequestReporter blockedReporter,
            Consumer<List<String>> unknownFields) {
        this.isPlaceholder = isPlaceholder;
        this.setup = setup;
        this.connector = connector;
        this.connections = connections;
        this.metering = metering;
        this.counts = counts;
        this.blockedReporter = blockedReporter;
        this.unknownFields = unknownFields;
    }

    /** Returns whether the client's connection can be reused. */
    public boolean serve(ProxyExchange exchange, String target) throws IOException, ProxyException {
        try {
            if (isProbe(exchange.request())) {
                exchange.respond("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", new byte[0]);
                return exchange.request().keepsAlive();
            }
            return call(exchange, target);
        } catch (ProxyException e) {
            throw ModelError.of(e);
        }
    }

    /** Some engines request the root of the API to check whether it is available. */
    private static boolean isProbe(RequestHead request) {
        return request.target().equals("/") && request.method().equals("HEAD");
    }

    private boolean call(ProxyExchange exchange, String target) throws IOException, ProxyException {
        var request = exchange.request();
        int query = target.indexOf('?');
        var path = query < 0 ? target : target.substring(0, query);
        boolean metered = setup.api().isMetered(request.method(), path);
        requirePlaceholder(request.headers());
        var model = setup.access().get().orElseThrow(this::noCredential);
        checkHead(exchange, query < 0 ? "" : target.substring(query + 1), model);
        if (!hasRequestBody(request)) {
            return forward(exchange, target, model);
        }
        try (var memory = new BodyMemory()) {
            var size = receive(exchange, memory, model);
            return metered
                    ? forwardMetered(exchange, target, size, model)
                    : forward(exchange, target, model);
        }
    }

    /** Counts the bytes of one request body, and limits the total of this sandbox. */
    private final class BodyMemory implements ProxyExchange.ByteCounter, AutoCloseable {
        private long bytes;

        @Override
        public void add(int count) throws ProxyException {
            bytes += count;
            if (bodyBytesInFlight.addAndGet(count) > MAX_BODY_BYTES) {
                throw new ProxyException(
                        503,
                        "Ash: the model requests in flight from this sandbox exceed"
                                + " %d MiB; try again later".formatted(MAX_BODY_BYTES >> 20));
            }
        }

        @Override
        public void close() {
            bodyBytesInFlight.addAndGet(-bytes);
        }
    }

    private ProxyException noCredential() {
        return new ProxyException(
                401,
                "Ash: no credential for the model API; set %s for the server, or store one"
                        .formatted(setup.api().keyVariable()));
    }

    private boolean forward(ProxyExchange exchange, String target, ModelAccess model)
            throws IOException, ProxyException {
        return forward(exchange, target, model, ResponseObserver.NONE);
    }

    private boolean forwardMetered(
            ProxyExchange exchange, String target, CallSize size, ModelAccess model)
            throws IOException, ProxyException {
        var call = metering.admit(setup.budget(), size, setup.api());
        try {
            return forward(exchange, target, model, call);
        } finally {
            call.onEnd();
        }
    }

    /** Uses a kept connection if possible; if the host has closed it meanwhile, a new one. */
    private boolean forward(
            ProxyExchange exchange, String target, ModelAccess model, ResponseObserver observer)
            throws IOException, ProxyException {
        var kept = connections.reuse(model);
        if (kept.isPresent()) {
            try {
                return forward(exchange, target, model, kept.get(), observer);
            } catch (StaleConnectionException e) {
                counts.repeated.increment();
            }
        }
        return forward(exchange, target, model, connect(model, observer), observer);
    }

    private TimedConnection connect(ModelAccess model, ResponseObserver observer)
            throws ProxyException {
        try {
            return connect(model);
        } catch (ProxyException | RuntimeException e) {
            observer.onNotSent();
            throw e;
        }
    }

    private boolean forward(
            ProxyExchange exchange,
            String target,
            ModelAccess model,
            TimedConnection upstream,
            ResponseObserver observer)
            throws IOException, ProxyException {
        metering.open(upstream, connections, observer);
        try {
            return exchange.forward(
                    upstream,
                    ProxyExchange.Upstream.KEPT,
                    model.target(setup.api().relativeTarget(target)),
                    headers(exchange.request(), model),
                    observer);
        } finally {
            metering.remove(upstream, connections);
            connections.keep(upstream, model);
        }
    }

    private TimedConnection connect(ModelAccess model) throws ProxyException {
        try {
            return connector.connect(model.host(), model.usesTls());
        } catch (SSLException e) {
            throw new ProxyException(
                    502,
                    "Ash: no TLS connection to the model API; check that this server trusts its certificate");
        } catch (IOException e) {
            throw new ProxyException(
                    502,
                    "Ash: cannot connect to the model API; check the server's network and its %s"
                            .formatted(setup.api().urlVariable()));
        }
    }

    private static boolean hasRequestBody(RequestHead request) {
        return request.method().equals("POST");
    }

    private void checkHead(ProxyExchange exchange, String query, ModelAccess model)
            throws BadMessageException, ProxyException {
        var request = exchange.request();
        boolean hasBody = hasRequestBody(request);
        try {
            if (!hasBody && exchange.hasBody()) {
                throw new BadMessageException(
                        "a body, which is not supported with " + request.method());
            }
            if (hasBody) {
                RequestPolicy.checkContent(
                        request.headers().values("content-type"),
                        request.headers().values("content-encoding"));
            }
            if (!query.isEmpty()) {
                if (hasBody) {
                    setup.requests().checkQuery(query);
                } else {
                    RequestPolicy.checkModelsQuery(query);
                }
            }
        } catch (RequestRejectedException e) {
            throw rejected(e, model);
        }
    }

    /** Reads and checks the whole body before any part of it is forwarded. */
    private CallSize receive(ProxyExchange exchange, BodyMemory memory, ModelAccess model)
            throws IOException, ProxyException {
        var body = exchange.receive(RequestPolicy.MAX_BYTES, memory);
        try {
            var checked = setup.requests().checkBody(body);
            var unknown = checked.unknownFields();
            if (!unknown.isEmpty()) {
                counts.unknownFields.add(unknown.size());
                unknownFields.accept(unknown);
            }
            return checked.size();
        } catch (RequestRejectedException e) {
            throw rejected(e, model);
        }
    }

    private ProxyException rejected(RequestRejectedException rejected, ModelAccess model) {
        counts.rejected.increment();
        var host = model.host();
        blockedReporter.report(
                new BlockedRequest(host.host().toString(), host.port(), rejected.message()));
        return new ProxyException(rejected.status(), rejected.message());
    }

    private Headers headers(RequestHead request, ModelAccess model) {
        var headers = permitted(request.headers().endToEnd().without(REPLACED));
        return model.credential()
                .applyTo(
                        headers.with("Host", model.hostHeader())
                                .with("Accept-Encoding", "identity"));
    }

    /** Removes headers and beta features that are not permitted. */
    private Headers permitted(Headers headers) {
        var permitted = new ArrayList<Headers.Header>();
        for (var header : headers.all()) {
            var value = setup.requests().permittedValue(header.name(), header.value());
            value.ifPresent(v -> permitted.add(new Headers.Header(header.name(), v)));
            if (!value.equals(Optional.of(header.value()))) {
                counts.droppedHeaders.increment();
            }
        }
        return new Headers(permitted);
    }

    private void requirePlaceholder(Headers headers) throws ProxyException {
        for (var key : headers.values(KEY_HEADER)) {
            if (isPlaceholder.test(key)) {
                return;
            }
        }
        for (var value : headers.values("authorization")) {
            if (value.regionMatches(true, 0, BEARER, 0, BEARER.length())
                    && isPlaceholder.test(value.substring(BEARER.length()).strip())) {
                return;
            }
        }
        throw new ProxyException(
                401,
                "Ash: wrong key for this sandbox; use the value of its ANTHROPIC_API_KEY or ASH_MODEL_KEY");
    }
}
