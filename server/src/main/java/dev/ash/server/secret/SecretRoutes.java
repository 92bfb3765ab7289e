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
                        .summary("Show age and state of the server's secrets, without their values")
                        .answers(200, SecretApi.Secrets.class)
                        .handledBy(this::list),
                Endpoint.post(PATH + "/rotate")
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("Replace secrets of the server; previous ones work for an overlap")
                        .takes(SecretApi.RotateSecrets.class)
                        .answers(200, SecretApi.Secrets.class)
                        .handledBy(this::rotate),
                Endpoint.delete(PATH + "/previous")
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("End the overlap: replaced secrets stop working")
                        .answers(200, SecretApi.Secrets.class)
                        .handledBy(this::revoke));
    }

    private void list(Exchange exchange) {
        exchange.answer(200, shown(secrets));
    }

    private void rotate(Exchange exchange) throws IOException, InterruptedException {
        var request = exchange.body(SecretApi.RotateSecrets.class);
        var overlap = overlap(request.overlapMinutes());
        var chosen = chosen(request.secrets());
        for (var secret : chosen) {
            secret.rotate(overlap);
        }
        exchange.answer(200, shown(chosen));
    }

    private void revoke(Exchange exchange) throws IOException {
        for (var secret : secrets) {
            secret.revokePrevious();
        }
        exchange.answer(200, shown(secrets));
    }

    private static SecretApi.Secrets shown(List<RotatableSecret> secrets) {
        return new SecretApi.Secrets(secrets.stream().map(RotatableSecret::status).toList());
    }

    private static Duration overlap(@Nullable Integer minutes) {
        int chosen = minutes == null ? DEFAULT_OVERLAP_MINUTES : minutes;
        if (chosen < 0 || chosen > MAX_OVERLAP_MINUTES) {
            throw ApiException.invalid(
                    "overlapMinutes", "must be 0 to %d".formatted(MAX_OVERLAP_MINUTES));
        }
        return Duration.ofMinutes(chosen);
    }

    /** All checks come before the first rotation, so that a refused request changes nothing. */
    private List<RotatableSecret> chosen(List<String> names) {
        if (names.isEmpty()) {
            throw ApiException.invalid("secrets", "must name at least one of " + known());
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
                                                "secrets", "must be out of %s".formatted(known())));
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
