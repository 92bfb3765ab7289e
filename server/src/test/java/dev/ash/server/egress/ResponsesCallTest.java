package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.ModelAccess;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelCredential;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests calls to the Responses API through the proxy. */
@Timeout(60)
class ResponsesCallTest {
    private static TestProxy proxy(TestUpstream upstream) throws IOException {
        var proxy = TestProxy.forModel(upstream);
        proxy.api = ModelApi.OPENAI;
        proxy.model =
                Optional.of(
                        new ModelAccess(
                                URI.create(
                                        "http://127.0.0.1:%d/base/v1".formatted(upstream.port())),
                                new ModelCredential.AuthToken("sk-real")));
        proxy.proxies.open(proxy.sandbox, proxy.setup(List.of()));
        return proxy;
    }

    private static String request(TestProxy proxy, String method, String path) {
        return "%s %s HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer %s\r\nContent-Length: 15\r\n\r\n{\"store\":false}"
                .formatted(method, path, proxy.placeholder());
    }

    @Test
    void replacesKeyAndCallsPathBelowBaseUrl() throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            assertThat(proxy.send(request(proxy, "POST", "/v1/responses")).status()).isEqualTo(200);

            var forwarded = upstream.requests().getFirst();
            assertThat(forwarded.target()).isEqualTo("/base/v1/responses");
            assertThat(forwarded.headers().values("authorization"))
                    .containsExactly("Bearer sk-real");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/messages",
        "POST, /v1/responses/compact",
        "GET, /v1/responses/r_1",
        "POST, /v1/chat/completions",
        "GET, /v1/files",
        "POST, /v1/responses/../files"
    })
    void rejectsOtherEndpoints(String method, String path) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            var response = proxy.send(request(proxy, method, path));

            assertThat(response.status()).isEqualTo(404);
            assertThat(response.body()).contains("POST /v1/responses and GET /v1/models");
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @Test
    void rejectsCallsOverBudget() throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            proxy.budgetError = Optional.of("no more");

            var response = proxy.send(request(proxy, "POST", "/v1/responses"));

            assertThat(response.status()).isEqualTo(402);
            assertThat(upstream.requests()).isEmpty();
        }
    }
}
