package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.ApiKeyApi;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApiKeysClientTest {
    private static final String CREATED =
            "{\"id\":\"k\",\"key\":\"ash_x\",\"tenantId\":\"acme\",\"label\":\"\",\"keyPrefix\":\"ash_\",\"scopes\":[\"read\"],\"createdAt\":\"c\",\"later\":1}";

    @Test
    void sendsOneRequestForEachCall() throws IOException {
        try (var server = new FakeServer()) {
            server.on("POST /api/api-keys", 201, CREATED);
            server.on("POST /api/internal/api-keys", 201, CREATED);
            server.on(
                    "GET /api/api-keys",
                    "{\"keys\":[{\"id\":\"env\",\"label\":\"ASH_API_KEY\",\"keyPrefix\":\"\",\"createdAt\":null,\"scopes\":[\"read\"]}]}");
            server.on(
                    "DELETE /api/api-keys/k%2F1",
                    (_, out) -> FakeServer.write(out, "HTTP/1.1 204 No Content\r\n\r\n"));
            var keys = server.client().apiKeys();
            var created =
                    new ApiKeyApi.CreatedKey(
                            "k", "ash_x", "acme", "", "ash_", List.of("read"), null, "c");

            assertThat(keys.create(null, List.of("read"), "2031-05-01T12:00:00Z"))
                    .isEqualTo(created);
            assertThat(keys.create(new ApiKeyApi.CreateTenantKey("acme", "l", null, null)))
                    .isEqualTo(created);
            assertThat(keys.list())
                    .containsExactly(
                            new ApiKeyApi.Key(
                                    "env", "ASH_API_KEY", "", null, List.of("read"), null, null));
            keys.revoke("k/1");

            assertThat(server.lines())
                    .containsExactly(
                            "POST /api/api-keys {\"scopes\":[\"read\"],\"expiresAt\":\"2031-05-01T12:00:00Z\"}",
                            "POST /api/internal/api-keys {\"tenantId\":\"acme\",\"label\":\"l\"}",
                            "GET /api/api-keys",
                            "DELETE /api/api-keys/k%2F1");
        }
    }

    @Test
    void reportsMissingScope() throws IOException {
        var body =
                "{\"error\":\"This needs the scope \\\"admin\\\"\",\"code\":\"FORBIDDEN\",\"statusCode\":403}";
        try (var server = FakeServer.responding(403, body)) {
            assertThatThrownBy(() -> server.client().apiKeys().tenants())
                    .isInstanceOfSatisfying(
                            AshApiException.class,
                            error -> assertThat(error.is(ErrorCode.FORBIDDEN)).isTrue())
                    .hasMessage("This needs the scope \"admin\"");
        }
    }
}
