package dev.ash.server.egress;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

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

    private final String placeholder;
    private final ModelApi api;
    private final Supplier<Optional<ModelAccess>> access;
    private final EgressListener listener;
    private final Dialler dialler;
    private final Prices prices;
    private final Wires wires;

    ModelCalls(
            String placeholder,
            ModelApi api,
            Supplier<Optional<ModelAccess>> access,
            EgressListener listener,
            Dialler dialler,
            Prices prices,
            Wires wires) {
        this.placeholder = placeholder;
        this.api = api;
        this.access = access;
        this.listener = listener;
        this.dialler = dialler;
        this.prices = prices;
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
        var spent = listener.overBudget();
        if (metered && spent.isPresent()) {
            throw new Refusal(402, spent.get());
        }
        var model =
                access.get()
                        .orElseThrow(
                                () ->
                                        new Refusal(
                                                401,
                                                "Ash has no credential for the model: set %s for the server, or store one"
                                                        .formatted(api.keyVariable())));
        var upstream = wires.add(dial(model));
        try {
            var headers = request.headers().endToEnd().without(REPLACED);
            headers =
                    model.credential()
                            .applyTo(
                                    headers.with("Host", model.hostHeader())
                                            .with("Accept-Encoding", "identity"));
            var tap = metered ? new MeterTap(api, sent(request), prices, listener::used) : Tap.NONE;
            return forwarding.run(upstream, model.target(api.below(target)), headers, tap);
        } finally {
            wires.end(upstream);
        }
    }

    private static long sent(RequestHead request) throws BadMessageException {
        return Framing.of(request) instanceof Framing.Length(var bytes) ? bytes : 0;
    }

    private static String path(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    private void requirePlaceholder(Headers headers) throws Refusal {
        for (var key : headers.values(KEY)) {
            if (Placeholders.same(key, placeholder)) {
                return;
            }
        }
        for (var value : headers.values("authorization")) {
            if (value.regionMatches(true, 0, BEARER, 0, BEARER.length())
                    && Placeholders.same(value.substring(BEARER.length()).strip(), placeholder)) {
                return;
            }
        }
        throw new Refusal(
                401,
                "Ash: this is not the key of this sandbox; use the one in its ANTHROPIC_API_KEY or ASH_MODEL_KEY");
    }

    private Wire dial(ModelAccess model) throws Refusal {
        var host = model.host();
        try {
            var addresses = dialler.lookUp(host.host());
            return model.tls()
                    ? dialler.connectTls(addresses, host.host(), host.port())
                    : dialler.connect(addresses, host.port());
        } catch (SSLException e) {
            throw new Refusal(
                    502, "Ash: the model's API showed no certificate that this server accepts");
        } catch (IOException e) {
            throw new Refusal(
                    502,
                    "Ash: the model's API cannot be reached; check the server's network and its %s"
                            .formatted(api.urlVariable()));
        }
    }
}
