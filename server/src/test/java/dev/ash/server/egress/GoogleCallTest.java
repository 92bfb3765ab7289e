package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelCredential;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests calls to Google's API through the proxy. */
@Timeout(60)
class GoogleCallTest {
    private static final String STREAM = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";

    private static TestProxy proxy(TestUpstream upstream) throws IOException {
        var proxy = TestProxy.allowing();
        proxy.use(ModelApi.GOOGLE, upstream, "/base", new ModelCredential.GoogleKey("real"));
        return proxy;
    }

    private static String request(String target, String header) {
        return "POST %s HTTP/1.1\r\nHost: m\r\n%sContent-Length: 2\r\n\r\n{}"
                .formatted(target, header);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-goog-api-key: %s", "X-Goog-Api-Key: %s", "Authorization: Bearer %s"})
    void replacesPlaceholderInHeader(String header) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            var key = header.formatted(proxy.placeholder()) + "\r\n";

            var response = proxy.send(request(STREAM + "?alt=sse", key));

            assertThat(response.status()).isEqualTo(200);
            var forwarded = upstream.requests().getFirst();
            assertThat(forwarded.target()).isEqualTo("/base" + STREAM + "?alt=sse");
            assertThat(forwarded.headers().values("x-goog-api-key")).containsExactly("real");
            assertThat(forwarded.headers().has("authorization")).isFalse();
            assertThat(proxy.estimates)
                    .singleElement()
                    .satisfies(
                            estimate -> assertThat(estimate.model()).isEqualTo("gemini-2.5-pro"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"?alt=sse&key=%s", "?key=%s&alt=sse", "?key=other&key=%s&alt=sse"})
    void removesPlaceholderFromQuery(String query) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            var target = STREAM + query.formatted(proxy.placeholder());

            assertThat(proxy.send(request(target, "")).status()).isEqualTo(200);

            var forwarded = upstream.requests().getFirst();
            assertThat(forwarded.target()).isEqualTo("/base" + STREAM + "?alt=sse");
            assertThat(forwarded.headers().values("x-goog-api-key")).containsExactly("real");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?alt=json", "?alt=sse&fields=x", "?%6Bey=x&alt=sse", "?alt=media"})
    void requiresEventsForStreams(String query) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            var response = proxy.call("POST", STREAM + query, "{}");

            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).contains("expected alt=sse").contains("INVALID_ARGUMENT");
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1beta/models/gemini-2.5-pro:generateContent",
        "POST, /v1beta/models/gemini-2.5-pro:countTokens",
    })
    void permitsCallsOfEngines(String method, String path) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            assertThat(proxy.call(method, path, "{}").status()).isEqualTo(200);
            assertThat(proxy.estimates).hasSize(path.endsWith("countTokens") ? 0 : 1);
        }
    }

    @Test
    void permitsListOfModels() throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            var response =
                    proxy.send(
                            "GET /v1beta/models?pageSize=50&key=%s HTTP/1.1\r\nHost: m\r\n\r\n"
                                    .formatted(proxy.placeholder()));

            assertThat(response.status()).isEqualTo(200);
            assertThat(upstream.requests().getFirst().target())
                    .isEqualTo("/base/v1beta/models?pageSize=50");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1beta/models/gemini-2.5-pro:embedContent",
        "POST, /v1beta/models/gemini-2.5-pro:batchGenerateContent",
        "POST, /v1beta/models/../cachedContents:generateContent",
        "POST, /v1beta/tunedModels/x:generateContent",
        "POST, /v1beta/models/x/y:generateContent",
        "POST, /v1beta/cachedContents",
        "POST, /upload/v1beta/files",
        "GET, /v1beta/files",
        "POST, /v1/messages",
        "POST, /v1beta/openai/chat/completions",
    })
    void rejectsOtherEndpoints(String method, String path) throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            var response = proxy.call(method, path, "{}");

            assertThat(response.status()).isEqualTo(404);
            assertThat(response.body()).contains(":generateContent").contains("NOT_FOUND");
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @Test
    void rejectsOtherKeys() throws IOException {
        try (var upstream = TestUpstream.respondingWith("{}");
                var proxy = proxy(upstream)) {
            var response =
                    proxy.send(request(STREAM + "?alt=sse&key=stolen", "x-goog-api-key: real\r\n"));

            assertThat(response.status()).isEqualTo(401);
            assertThat(response.body()).contains("UNAUTHENTICATED");
            assertThat(upstream.requests()).isEmpty();
        }
    }
}
