package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Scopes and access of endpoints. */
class EndpointScopeTest {
    @Test
    void requiresScopeUnlessEndpointIsOpenOrGet() {
        assertThat(Endpoint.get("/a").handledBy(_ -> {}).scope()).isEqualTo(Scope.READ);
        assertThat(Endpoint.get("/a").open().handledBy(_ -> {}).scope()).isNull();
        for (var row :
                new Endpoint.Builder[] {
                    Endpoint.post("/a"),
                    Endpoint.put("/a"),
                    Endpoint.patch("/a"),
                    Endpoint.delete("/a"),
                    Endpoint.post("/a").open().scope(Scope.RUN)
                }) {
            assertThatThrownBy(() -> row.handledBy(_ -> {}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("/a: set a scope");
        }
    }

    @Test
    void namesMissingScopeAndScopesOfKey() {
        var caller = new ApiKeyIdentity(new TenantId("acme"), "k", Scope.APPROVE.included());
        var guard =
                new Guard(
                        new BearerAuthentication(
                                TestIdentities.authenticator(_ -> Optional.of(caller))),
                        0);

        assertForbidden(
                guard,
                Endpoint.post("/a").scope(Scope.RUN).handledBy(_ -> {}),
                "The scope \"run\" is required, and this key has read, approve; use a key with that"
                        + " scope, or ask an administrator to create one");
        assertForbidden(
                guard,
                Endpoint.get("/a").operator().handledBy(_ -> {}),
                "This endpoint requires a key of the operator's tenant \"default\"; this key belongs"
                        + " to the tenant \"acme\"");
        assertThat(
                        guard.admit(
                                        Endpoint.post("/a").scope(Scope.APPROVE).handledBy(_ -> {}),
                                        "Bearer x",
                                        "a")
                                .caller())
                .isEqualTo(caller);
    }

    private static void assertForbidden(Guard guard, Endpoint endpoint, String message) {
        assertThatThrownBy(() -> guard.admit(endpoint, "Bearer x", "a"))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN);
                            assertThat(e.message()).isEqualTo(message);
                        });
    }
}
