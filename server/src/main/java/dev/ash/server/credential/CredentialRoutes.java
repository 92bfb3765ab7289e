package dev.ash.server.credential;

import dev.ash.protocol.rest.CredentialApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.identity.Scope;
import java.util.List;

/** The endpoints below {@code /api/credentials}. */
public final class CredentialRoutes {
    private final Credentials credentials;

    public CredentialRoutes(Credentials credentials) {
        this.credentials = credentials;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post("/api/credentials")
                        .scope(Scope.ADMIN)
                        .summary("Store a key of a model provider; it is never shown again")
                        .takes(CredentialApi.CreateCredential.class)
                        .answers(201, CredentialApi.CredentialResponse.class)
                        .handledBy(this::create),
                Endpoint.get("/api/credentials")
                        .scope(Scope.ADMIN)
                        .summary("List stored credentials, without their keys")
                        .answers(200, CredentialApi.Credentials.class)
                        .handledBy(this::list),
                Endpoint.delete("/api/credentials/{id}")
                        .scope(Scope.ADMIN)
                        .summary(
                                "Forget a credential; sessions that name it can make no more calls")
                        .answers(204, Void.class)
                        .handledBy(this::delete));
    }

    private void create(Exchange exchange) {
        var request = exchange.body(CredentialApi.CreateCredential.class);
        var made = credentials.create(exchange.caller().tenant(), request);
        exchange.answer(201, new CredentialApi.CredentialResponse(made));
    }

    private void list(Exchange exchange) {
        var all = credentials.list(exchange.caller().tenant());
        exchange.answer(200, new CredentialApi.Credentials(all));
    }

    private void delete(Exchange exchange) {
        credentials.delete(exchange.caller().tenant(), exchange.path("id"));
        exchange.answer(204);
    }
}
