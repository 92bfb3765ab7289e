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
                        .summary("Store a key of a model provider; it is never returned")
                        .accepts(CredentialApi.CreateCredential.class)
                        .returns(201, CredentialApi.CredentialResponse.class)
                        .handledBy(this::create),
                Endpoint.get("/api/credentials")
                        .scope(Scope.ADMIN)
                        .summary("List stored credentials, without their keys")
                        .returns(200, CredentialApi.Credentials.class)
                        .handledBy(this::list),
                Endpoint.delete("/api/credentials/{id}")
                        .scope(Scope.ADMIN)
                        .summary(
                                "Delete a credential; sessions that use it can make no more model calls")
                        .returns(204, Void.class)
                        .handledBy(this::delete));
    }

    private void create(Exchange exchange) {
        var request = exchange.body(CredentialApi.CreateCredential.class);
        var created = credentials.create(exchange.caller().tenant(), request);
        exchange.respond(201, new CredentialApi.CredentialResponse(created));
    }

    private void list(Exchange exchange) {
        var all = credentials.list(exchange.caller().tenant());
        exchange.respond(200, new CredentialApi.Credentials(all));
    }

    private void delete(Exchange exchange) {
        credentials.delete(exchange.caller().tenant(), exchange.path("id"));
        exchange.respond(204);
    }
}
