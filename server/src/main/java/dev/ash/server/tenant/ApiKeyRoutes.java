package dev.ash.server.tenant;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.ApiKeyApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.identity.Scope;
import java.util.List;

/** The endpoints of API keys and tenants. */
public final class ApiKeyRoutes {
    private static final String KEYS = "/api/api-keys";
    private static final String TENANTS = "/api/tenants";

    private final ApiKeys keys;

    public ApiKeyRoutes(ApiKeys keys) {
        this.keys = keys;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.post(KEYS)
                        .scope(Scope.ADMIN)
                        .summary("Create an API key; it is returned only once")
                        .accepts(ApiKeyApi.CreateKey.class)
                        .returns(201, ApiKeyApi.CreatedKey.class)
                        .handledBy(this::create),
                Endpoint.get(KEYS)
                        .scope(Scope.ADMIN)
                        .summary("List API keys, without the keys")
                        .returns(200, ApiKeyApi.Keys.class)
                        .handledBy(
                                exchange ->
                                        exchange.respond(
                                                200,
                                                new ApiKeyApi.Keys(keys.list(tenant(exchange))))),
                Endpoint.delete(KEYS + "/{id}")
                        .scope(Scope.ADMIN)
                        .summary("Revoke an API key; its open streams end")
                        .returns(204, Void.class)
                        .handledBy(this::revoke),
                Endpoint.post("/api/internal/api-keys")
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("Create an API key of any tenant; a new tenant is created")
                        .accepts(ApiKeyApi.CreateTenantKey.class)
                        .returns(201, ApiKeyApi.CreatedKey.class)
                        .handledBy(this::createForTenant),
                Endpoint.get(TENANTS)
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary("List tenants")
                        .returns(200, ApiKeyApi.Tenants.class)
                        .handledBy(
                                exchange ->
                                        exchange.respond(
                                                200, new ApiKeyApi.Tenants(keys.tenants()))),
                Endpoint.post(TENANTS)
                        .scope(Scope.ADMIN)
                        .operator()
                        .summary(
                                "Create a tenant and its first API key, which is returned only once")
                        .accepts(ApiKeyApi.CreateTenant.class)
                        .returns(201, ApiKeyApi.TenantResponse.class)
                        .handledBy(this::createTenant));
    }

    private void create(Exchange exchange) {
        var request = exchange.body(ApiKeyApi.CreateKey.class);
        exchange.respond(
                201,
                keys.create(
                        tenant(exchange), request.label(), request.scopes(), request.expiresAt()));
    }

    private void createForTenant(Exchange exchange) {
        var request = exchange.body(ApiKeyApi.CreateTenantKey.class);
        exchange.respond(
                201,
                keys.create(
                        new TenantId(request.tenantId()),
                        request.label(),
                        request.scopes(),
                        request.expiresAt()));
    }

    private void createTenant(Exchange exchange) {
        var request = exchange.body(ApiKeyApi.CreateTenant.class);
        exchange.respond(201, keys.createTenant(new TenantId(request.tenantId())));
    }

    private void revoke(Exchange exchange) {
        keys.revoke(tenant(exchange), exchange.path("id"));
        exchange.respond(204);
    }

    private static TenantId tenant(Exchange exchange) {
        return exchange.caller().tenant();
    }
}
