package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class DocsRoutesTest {
    private static final TestServer SERVER =
            new TestServer(OpenApiTest.TABLE.toArray(Endpoint[]::new));

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static RawClient.Response get(String path) throws IOException {
        try (var client = SERVER.raw()) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").response();
        }
    }

    @Test
    void servesPageWithoutKeyAndExternalResources() throws IOException {
        for (var path : new String[] {"/docs", "/docs/"}) {
            var page = get(path);
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
            assertThat(page.header("Content-Security-Policy"))
                    .contains("default-src 'none'", "script-src 'self';", "frame-ancestors 'none'");
            assertThat(page.header("X-Frame-Options")).isEqualTo("DENY");
            assertThat(page.body()).doesNotContain("http:", "https:", "<script>");
        }
        assertThat(get("/docs/start.js").body()).contains("\"/docs/json\"", "validatorUrl: null");
    }

    @Test
    void servesAllResourcesOfPage() throws IOException {
        var parts = get("/docs").body().split("(src|href)=\"");
        assertThat(parts).hasSizeGreaterThan(4);
        for (int i = 1; i < parts.length; i++) {
            var path = parts[i].substring(0, parts[i].indexOf('"'));
            var asset = get(path);
            assertThat(asset.status()).as(path).isEqualTo(200);
            assertThat(asset.body()).isNotEmpty();
            assertThat(asset.header("X-Content-Type-Options")).isEqualTo("nosniff");
        }
        assertThat(get("/docs/swagger-ui-bundle.js").header("Content-Type"))
                .startsWith("text/javascript");
    }

    @Test
    void servesDocumentAsJsonAndYaml() throws IOException {
        var json = get("/docs/json");
        assertThat(json.header("Content-Type")).isEqualTo("application/json");
        assertThat(Json.MAPPER.readTree(json.body()).get("paths").size()).isEqualTo(8);

        assertThat(get("/docs/yaml").body())
                .startsWith("\"openapi\": \"3.1.0\"\n\"info\":\n  \"title\": \"Ash\"\n")
                .contains("\n    \"get\":\n      \"summary\": \"Whether the server works\"\n");
    }

    @Test
    void servesNoOtherClassPathResources() throws IOException {
        for (var path :
                new String[] {
                    "/docs/index.html",
                    "/docs/..%2f..%2fpom.properties",
                    "/docs/../docs",
                    "/docs/../../../dev/ash/server/http/DocsRoutes.class"
                }) {
            assertThat(get(path).status()).as(path).isIn(400, 404);
        }
    }

    @Test
    void redirectsRootToDocumentation() throws IOException {
        var root = get("/");

        assertThat(root.status()).isEqualTo(302);
        assertThat(root.header("Location")).isEqualTo("/docs");
        assertThat(root.header("Cache-Control")).isEqualTo("no-store");
        assertThat(get("/?x=1").status()).isEqualTo(302);
    }

    @Test
    void hasAnEmptyFavicon() throws IOException {
        assertThat(get("/favicon.ico").status()).isEqualTo(204);
    }
}
