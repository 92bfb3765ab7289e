package dev.ash.server.egress;

import dev.ash.server.egress.request.CallSize;
import dev.ash.server.egress.request.Rejected;
import dev.ash.server.egress.request.RequestPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Calls of one sandbox to the model's API. The placeholder of the sandbox is taken off and the real
 * credential put on; only what engines need is let through, for the same credential would open the
 * files and batches of every other session.
 */
final class ModelCalls {
    private static final String KEY = "x-api-key";
    private static final String BEARER = "Bearer ";

    /** Written anew for the API: its host, who calls, and a form in which tokens can be read. */
    private static final Set<String> REPLACED =
            Set.of("host", KEY, "authorization", "accept-encoding", "cookie");

    private final Predicate<String> placeholder;
    private final ModelApi api;
    private final Supplier<Optional<ModelAccess>> access;
    private final RequestPolicy policy;
    private final RequestCounts counts;
    private final BlockedNotices notices;
    private final BodyMemory memory = new BodyMemory();
    private final EgressListener listener;
    private final ModelDialler dialler;
    private final Metering metering;
    private final Wires wires;

    ModelCalls(
            Predicate<String> placeholder,
            ModelApi api,
            Supplier<Optional<ModelAccess>> access,
            RequestPolicy policy,
            RequestCounts counts,
            BlockedNotices notices,
            EgressListener listener,
            ModelDialler dialler,
            Metering metering,
            Wires wires) {
        this.placeholder = placeholder;
        this.api = api;
        this.access = access;
        this.policy = policy;
        this.counts = counts;
        this.notices = notices;
        this.listener = listener;
        this.dialler = dialler;
        this.metering = metering;
        this.wires = wires;
    }

    /** Some engines ask for the root of the API to see whether it is there. */
    static boolean isGreeting(RequestHead request) {
        return request.target().equals("/") && request.method().equals("HEAD");
    }

    /** Whether the client's connection can be used again. */
    boolean serve(RequestHead request, String target, Forwarding forwarding)
            throws IOException, Refusal {
        boolean metered = api.costs(request.method(), path(target));
        requirePlaceholder(request.headers());
        var model =
                access.get()
                        .orElseThrow(
                                () ->
                                        new Refusal(
                                                401,
                                                "Ash has no credential for the model: set %s for the server, or store one"
                                                        .formatted(api.keyVariable())));
        try (var share = memory.share()) {
            boolean sends = request.method().equals("POST");
            checkHead(request, query(target), sends, model);
            if (!sends) {
                return forward(request, target, forwarding, model);
            }
            var size = receive(forwarding, share, model);
            return metered
                    ? forwardMetered(request, target, forwarding, size, model)
                    : forward(request, target, forwarding, model);
        }
    }

    private boolean forward(
            RequestHead request, String target, Forwarding forwarding, ModelAccess model)
            throws IOException, Refusal {
        var upstream = wires.add(dialler.dial(model));
        try {
            return forwarding.run(
                    upstream, model.target(api.below(target)), headers(request, model), Tap.NONE);
        } finally {
            wires.end(upstream);
        }
    }

    private boolean forwardMetered(
            RequestHead request,
            String target,
            Forwarding forwarding,
            CallSize size,
            ModelAccess model)
            throws IOException, Refusal {
        var tap = metering.admit(size, api);
        Wire upstream;
        try {
            upstream = metering.open(dialler.dial(model), wires);
        } catch (IOException | Refusal | RuntimeException e) {
            tap.notSent();
            tap.end();
            throw e;
        }
        try {
            return forwarding.run(
                    upstream, model.target(api.below(target)), headers(request, model), tap);
        } finally {
            tap.end();
            metering.end(upstream, wires);
        }
    }

    private Headers headers(RequestHead request, ModelAccess model) {
        var headers = passing(request.headers().endToEnd().without(REPLACED));
        return model.credential()
                .applyTo(
                        headers.with("Host", model.hostHeader())
                                .with("Accept-Encoding", "identity"));
    }

    private void checkHead(RequestHead request, String query, boolean sends, ModelAccess model)
            throws BadMessageException, Refusal {
        try {
            if (!sends && !(Framing.of(request) instanceof Framing.None)) {
                throw new BadMessageException("a body, which " + request.method() + " cannot have");
            }
            if (sends) {
                RequestPolicy.checkContent(
                        request.headers().values("content-type"),
                        request.headers().values("content-encoding"));
            }
            if (!query.isEmpty()) {
                if (sends) {
                    policy.checkQuery(query);
                } else {
                    RequestPolicy.checkModelsQuery(query);
                }
            }
        } catch (Rejected e) {
            throw refused(e, model);
        }
    }

    /** Nothing of the body has been sent on before all of it is checked. */
    private CallSize receive(Forwarding forwarding, BodyMemory.Share share, ModelAccess model)
            throws IOException, Refusal {
        var body = forwarding.receive(share, RequestPolicy.MAX_BYTES);
        try {
            var checked = policy.checkBody(body);
            var unknown = checked.unknownFields();
            if (!unknown.isEmpty()) {
                counts.unknownFields.add(unknown.size());
                listener.unknownFields(unknown);
            }
            return checked.size();
        } catch (Rejected e) {
            throw refused(e, model);
        }
    }

    private Refusal refused(Rejected rejected, ModelAccess model) {
        counts.rejected.increment();
        var host = model.host();
        notices.blocked(new Blocked(host.host().toString(), host.port(), rejected.sentence()));
        return new Refusal(rejected.status(), rejected.sentence());
    }

    /** A header that may not pass is left out, and so are single beta features. */
    private Headers passing(Headers headers) {
        var passing = new ArrayList<Headers.Header>();
        for (var header : headers.all()) {
            var value = policy.header(header.name(), header.value());
            value.ifPresent(v -> passing.add(new Headers.Header(header.name(), v)));
            if (!value.equals(Optional.of(header.value()))) {
                counts.droppedHeaders.increment();
            }
        }
        return new Headers(passing);
    }

    private static String query(String target) {
        int query = target.indexOf('?');
        return query < 0 ? "" : target.substring(query + 1);
    }

    private static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    private void requirePlaceholder(Headers headers) throws Refusal {
        for (var key : headers.values(KEY)) {
            if (placeholder.test(key)) {
                return;
            }
        }
        for (var value : headers.values("authorization")) {
            if (value.regionMatches(true, 0, BEARER, 0, BEARER.length())
                    && placeholder.test(value.substring(BEARER.length()).strip())) {
                return;
            }
        }
        throw new Refusal(
                401,
                "Ash: this is not the key of this sandbox; use the one in its ANTHROPIC_API_KEY or ASH_MODEL_KEY");
    }
}
