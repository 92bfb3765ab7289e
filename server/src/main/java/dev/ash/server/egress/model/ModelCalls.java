package dev.ash.server.egress.model;

import dev.ash.server.egress.http.BadMessageException;
import dev.ash.server.egress.http.Headers;
import dev.ash.server.egress.http.ProxyException;
import dev.ash.server.egress.http.ProxyExchange;
import dev.ash.server.egress.http.RequestHead;
import dev.ash.server.egress.http.ResponseFilter;
import dev.ash.server.egress.http.ResponseObserver;
import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.StaleConnectionException;
import dev.ash.server.egress.http.TimedConnection;
import dev.ash.server.egress.http.WithheldResponseException;
import dev.ash.server.egress.model.request.CallSize;
import dev.ash.server.egress.model.request.RequestFormat;
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
    private static final int PAYMENT_REQUIRED = 402;
    private static final int FORBIDDEN = 403;
    private static final long MAX_BODY_BYTES = 64L * 1024 * 1024;

    /**
     * Not forwarded: replaced with the API's host, the credential, and an encoding for the meter.
     */
    private static final Set<String> REPLACED =
            Set.of(
                    "host",
                    "x-api-key",
                    "x-goog-api-key",
                    "api-key",
                    "authorization",
                    "accept-encoding",
                    "cookie");

    /** Connects to the model API. */
    @FunctionalInterface
    public interface Connector {
        TimedConnection connect(HostAndPort host, boolean tls) throws IOException;
    }

    private final PlaceholderCheck placeholders;
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
        this.placeholders = new PlaceholderCheck(isPlaceholder);
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
            throw ModelError.of(e, setup.api());
        }
    }

    /** Some engines request the root of the API to check whether it is available. */
    private static boolean isProbe(RequestHead request) {
        return request.target().equals("/") && request.method().equals("HEAD");
    }

    private boolean call(ProxyExchange exchange, String target) throws IOException, ProxyException {
        var request = exchange.request();
        var parsed = CallTarget.parse(target, setup.api());
        var endpoint = setup.api().endpoint(request.method(), parsed.path());
        placeholders.require(request.headers(), parsed.keys());
        var model = setup.access().get().orElseThrow(this::noCredential);
        var call = new Call(exchange, endpoint, parsed, model);
        checkHead(call);
        if (!hasRequestBody(request)) {
            return forward(call, ResponseObserver.NONE);
        }
        try (var memory = new BodyMemory()) {
            var size = receive(call, memory);
            return endpoint.isMetered()
                    ? forwardMetered(call, size)
                    : forward(call, ResponseObserver.NONE);
        }
    }

    /** A permitted call and the API that serves it. */
    private record Call(
            ProxyExchange exchange, Endpoint endpoint, CallTarget target, ModelAccess model) {}

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
                        .formatted(setup.api().provider().keyVariable()));
    }

    private boolean forwardMetered(Call call, CallSize size) throws IOException, ProxyException {
        var metered = admit(call, size);
        try {
            return forwardWithRetry(call, metered);
        } finally {
            metered.onEnd();
        }
    }

    /** Goose, a client of Chat Completions, ends its turn without a message after 402. */
    private Metering.Call admit(Call call, CallSize size) throws ProxyException {
        try {
            return metering.admit(setup.budget(), size, setup.api());
        } catch (ProxyException e) {
            boolean isSilent =
                    e.status() == PAYMENT_REQUIRED
                            && call.endpoint().format() == RequestFormat.OPENAI_CHAT;
            throw isSilent ? new ProxyException(FORBIDDEN, e.message()) : e;
        }
    }

    /** Repeats a call that the API rejected temporarily, while its client waits. */
    private boolean forwardWithRetry(Call call, ResponseObserver observer)
            throws IOException, ProxyException {
        var retry = RateLimitRetry.of(call.endpoint().format());
        while (true) {
            try {
                return forward(call, observer, retry);
            } catch (WithheldResponseException e) {
                counts.rateLimited.increment();
                if (!call.exchange().waitWithClient(retry.takeDelay())) {
                    observer.onNotSent();
                    throw new IOException("the client has disconnected");
                }
            }
        }
    }

    private boolean forward(Call call, ResponseObserver observer)
            throws IOException, ProxyException {
        return forward(call, observer, ResponseFilter.NONE);
    }

    /** Uses a kept connection if possible; if the host has closed it meanwhile, a new one. */
    private boolean forward(Call call, ResponseObserver observer, ResponseFilter filter)
            throws IOException, ProxyException {
        var kept = connections.reuse(call.model());
        if (kept.isPresent()) {
            try {
                return forward(call, kept.get(), observer, filter);
            } catch (StaleConnectionException e) {
                counts.repeated.increment();
            }
        }
        return forward(call, connect(call.model(), observer), observer, filter);
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
            Call call, TimedConnection upstream, ResponseObserver observer, ResponseFilter filter)
            throws IOException, ProxyException {
        var model = call.model();
        metering.open(upstream, connections, observer);
        try {
            return call.exchange()
                    .forward(
                            upstream,
                            ProxyExchange.Upstream.KEPT,
                            model.target(setup.api().relativeTarget(call.target().forwarded())),
                            headers(call),
                            observer,
                            filter);
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
                            .formatted(setup.api().provider().urlVariable()));
        }
    }

    private static boolean hasRequestBody(RequestHead request) {
        return request.method().equals("POST");
    }

    private void checkHead(Call call) throws BadMessageException, ProxyException {
        var request = call.exchange().request();
        var query = call.target().query();
        boolean hasBody = hasRequestBody(request);
        try {
            if (!hasBody && call.exchange().hasBody()) {
                throw new BadMessageException(
                        "a body, which is not supported with " + request.method());
            }
            if (hasBody) {
                RequestPolicy.checkContent(
                        request.headers().values("content-type"),
                        request.headers().values("content-encoding"));
            }
            if (hasBody) {
                RequestPolicy.checkQuery(query, call.endpoint().queries());
            } else if (!query.isEmpty()) {
                RequestPolicy.checkModelsQuery(query);
            }
        } catch (RequestRejectedException e) {
            throw rejected(e, call.model());
        }
    }

    /** Reads and checks the whole body before any part of it is forwarded. */
    private CallSize receive(Call call, BodyMemory memory) throws IOException, ProxyException {
        var endpoint = call.endpoint();
        var body = call.exchange().receive(RequestPolicy.MAX_BYTES, memory);
        try {
            var checked = setup.requests(endpoint.format()).checkBody(body);
            var unknown = checked.unknownFields();
            if (!unknown.isEmpty()) {
                counts.unknownFields.add(unknown.size());
                unknownFields.accept(unknown);
            }
            var model = endpoint.model(call.target().path());
            return model.isEmpty() ? checked.size() : checked.size().withModel(model);
        } catch (RequestRejectedException e) {
            throw rejected(e, call.model());
        }
    }

    private ProxyException rejected(RequestRejectedException rejected, ModelAccess model) {
        counts.rejected.increment();
        var host = model.host();
        blockedReporter.report(
                new BlockedRequest(host.host().toString(), host.port(), rejected.message()));
        return new ProxyException(rejected.status(), rejected.message());
    }

    private Headers headers(Call call) {
        var model = call.model();
        var requests = setup.requests(call.endpoint().format());
        var headers = call.exchange().request().headers().endToEnd().without(REPLACED);
        return model.credential()
                .applyTo(
                        permitted(headers, requests)
                                .with("Host", model.hostHeader())
                                .with("Accept-Encoding", "identity"));
    }

    /** Removes headers and beta features that are not permitted. */
    private Headers permitted(Headers headers, RequestPolicy requests) {
        var permitted = new ArrayList<Headers.Header>();
        for (var header : headers.all()) {
            var value = requests.permittedValue(header.name(), header.value());
            value.ifPresent(v -> permitted.add(new Headers.Header(header.name(), v)));
            if (!value.equals(Optional.of(header.value()))) {
                counts.droppedHeaders.increment();
            }
        }
        return new Headers(permitted);
    }
}
