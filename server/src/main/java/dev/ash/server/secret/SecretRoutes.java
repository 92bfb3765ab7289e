package dev.ash.server.secret;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.SecretApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.identity.Scope;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The endpoints below {@code /api/secrets}, for the tenant of the server's operator only. */
public final class SecretRoutes {
    private static final String PATH = "/api/secrets";
    private static final String ALL = "all";
    private static final int DEFAULT_OVERLAP_MINUTES = 60;
    private static final int MAX_OVERLAP_MINUTES = 7 * 24 * 60;

    private final List<RotatableSecret> secrets;

    public SecretRoutes(List<RotatableSecret> secrets) {
        this.secrets = List.copyOf(secrets);
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get(PATH)
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("Get age and state of the server's secrets, without their values")
                        .returns(200, SecretApi.Secrets.class)
                        .handledBy(this::list),
                Endpoint.post(PATH + "/rotate")
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary(
                                "Rotate secrets of the server; previous ones remain valid for an overlap")
                        .accepts(SecretApi.RotateSecrets.class)
                        .returns(200, SecretApi.Secrets.class)
                        .handledBy(this::rotate),
                Endpoint.delete(PATH + "/previous")
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("End the overlap: replaced secrets become invalid")
                        .returns(200, SecretApi.Secrets.class)
                        .handledBy(this::revoke));
    }

    private void list(Exchange exchange) {
        exchange.respond(200, status(secrets));
    }

    private void rotate(Exchange exchange) throws IOException, InterruptedException {
        var request = exchange.body(SecretApi.RotateSecrets.class);
        var overlap = overlap(request.overlapMinutes());
        var selected = selected(request.secrets());
        for (var secret : selected) {
            secret.rotate(overlap);
        }
        exchange.respond(200, status(selected));
    }

    private void revoke(Exchange exchange) throws IOException {
        for (var secret : secrets) {
            secret.revokePrevious();
        }
        exchange.respond(200, status(secrets));
    }

    private static SecretApi.Secrets status(List<RotatableSecret> secrets) {
        return new SecretApi.Secrets(secrets.stream().map(RotatableSecret::status).toList());
    }

    private static Duration overlap(@Nullable Integer minutes) {
        int value = minutes == null ? DEFAULT_OVERLAP_MINUTES : minutes;
        if (value < 0 || value > MAX_OVERLAP_MINUTES) {
            throw ApiException.invalid(
                    "overlapMinutes", "must be 0 to %d".formatted(MAX_OVERLAP_MINUTES));
        }
        return Duration.ofMinutes(value);
    }

    /** Checks all names before the first rotation, so that a rejected request changes nothing. */
    private List<RotatableSecret> selected(List<String> names) {
        if (names.isEmpty()) {
            throw ApiException.invalid("secrets", "must contain at least one of " + known());
        }
        if (names.contains(ALL)) {
            return secrets.stream().filter(RotatableSecret::isRotatable).toList();
        }
        return new LinkedHashSet<>(names).stream().map(this::required).toList();
    }

    private RotatableSecret required(String name) {
        var secret =
                secrets.stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "secrets", "must be among %s".formatted(known())));
        if (!secret.isRotatable()) {
            throw new ApiException(
                    ErrorCode.ROTATION_REFUSED,
                    "The server cannot rotate %s: %s".formatted(name, secret.status().note()));
        }
        return secret;
    }

    private String known() {
        return secrets.stream().map(RotatableSecret::name).collect(Collectors.joining(", "))
                + ", "
                + ALL;
    }
}
