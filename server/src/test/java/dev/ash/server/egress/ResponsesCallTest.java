package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelCredential;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests calls to the Responses and the Chat Completions API through the proxy. */
@Timeout(60)
class ResponsesCallTest {
    private static TestProxy proxy(TestUpstream upstream) throws IOException {
        var proxy = TestProxy.allowing();
        proxy.use(ModelApi.OPENAI, upstream, "/base/v1", new ModelCredential.AuthToken("sk-real"));
        return proxy;
    }

    private static String request(TestProxy proxy, String method, String path) {
        return "%s %s HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer %s\r\nContent-Length: 15\r\n\r\n{\"store\":false}"
                .formatted(method, path, proxy.placeholder());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/responses", "/v1/chat/completions"})
    void replacesKeyAndCallsPathBelowBaseUrl(String path) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            assertThat(proxy.send(request(proxy, "POST", path)).status()).isEqualTo(200);

            var forwarded = upstream.requests().getFirst();
            assertThat(forwarded.target()).isEqualTo("/base" + path);
            assertThat(proxy.estimates).hasSize(1);
            assertThat(forwarded.headers().values("authorization"))
                    .containsExactly("Bearer sk-real");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/messages",
        "POST, /v1/responses/compact",
        "GET, /v1/responses/r_1",
        "POST, /v1/completions",
        "GET, /v1/chat/completions",
        "GET, /v1/chat/completions/c_1/messages",
        "POST, /v1/embeddings",
        "GET, /v1/files",
        "POST, /v1/responses/../files"
    })
    void rejectsOtherEndpoints(String method, String path) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            var response = proxy.send(request(proxy, method, path));

            assertThat(response.status()).isEqualTo(404);
            assertThat(response.body())
                    .contains("POST /v1/responses, POST /v1/chat/completions and");
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"/v1/responses, 402", "/v1/chat/completions, 403"})
    void rejectsCallsOverBudget(String path, int status) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            proxy.budgetError = Optional.of("no more");

            var response = proxy.send(request(proxy, "POST", path));

            assertThat(response.status()).isEqualTo(status);
            assertThat(response.body()).contains("no more");
            assertThat(upstream.requests()).isEmpty();
        }
    }
}
