package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /docs}: the OpenAPI document and Swagger UI, without resources of other hosts. */
final class DocsRoutes {
    private static final String WEBJAR = "/META-INF/maven/org.webjars/swagger-ui/pom.properties";
    private static final Map<String, String> ASSETS =
            Map.of(
                    "swagger-ui.css", "text/css; charset=utf-8",
                    "swagger-ui-bundle.js", "text/javascript; charset=utf-8",
                    "favicon-32x32.png", "image/png");

    /** Swagger UI sets inline styles and uses data URLs for icons. */
    private static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
                    + " font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'";

    private static final String PAGE =
            """
            <!DOCTYPE html>
            <html lang="en">
              <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <title>Ash API</title>
                <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
                <link rel="stylesheet" href="/docs/swagger-ui.css">
              </head>
              <body>
                <noscript>The API as a document: <a href="/docs/json">/docs/json</a></noscript>
                <div id="docs"></div>
                <script src="/docs/swagger-ui-bundle.js"></script>
                <script src="/docs/start.js"></script>
              </body>
            </html>
            """;

    /** {@code validatorUrl: null} prevents Swagger UI from sending the URL to a public service. */
    private static final String START =
            """
            SwaggerUIBundle({
              url: "/docs/json",
              dom_id: "#docs",
              deepLinking: true,
              validatorUrl: null,
              persistAuthorization: false,
              displayRequestDuration: true,
            });
            """;

    private final List<Endpoint> documented;
    private @Nullable Map<String, Object> document;

    DocsRoutes(List<Endpoint> endpoints) {
        documented = List.copyOf(endpoints);
    }

    /** Generates the document for its first reader: this would take a tenth of a server's start. */
    private synchronized Map<String, Object> document() {
        if (document == null) {
            document = OpenApi.document(documented);
        }
        return document;
    }

    /** Returns these endpoints and those of their documentation. */
    static List<Endpoint> addTo(List<Endpoint> endpoints) {
        return Stream.concat(endpoints.stream(), new DocsRoutes(endpoints).endpoints().stream())
                .toList();
    }

    List<Endpoint> endpoints() {
        return List.of(
                // There is no console yet: redirect to the documentation.
                Endpoint.get("/").open().handledBy(DocsRoutes::redirect),
                Endpoint.get("/docs").open().handledBy(x -> page(x, "text/html", PAGE)),
                Endpoint.get("/docs/start.js")
                        .open()
                        .handledBy(x -> page(x, "text/javascript", START)),
                Endpoint.get("/docs/json")
                        .open()
                        .handledBy(
                                x ->
                                        send(
                                                x,
                                                Json.write(document()),
                                                Map.of("Content-Type", "application/json"))),
                Endpoint.get("/docs/yaml")
                        .open()
                        .handledBy(x -> page(x, "application/yaml", Yaml.write(document()))),
                Endpoint.get("/docs/{asset}").open().handledBy(DocsRoutes::asset),
                Endpoint.get("/favicon.ico").open().handledBy(x -> x.respond(204)));
    }

    private static void redirect(Exchange exchange) throws IOException {
        send(exchange, 302, new byte[0], Map.of("Location", "/docs"));
    }

    private static void page(Exchange exchange, String type, String text) throws IOException {
        send(
                exchange,
                text.getBytes(StandardCharsets.UTF_8),
                Map.of(
                        "Content-Type",
                        type + "; charset=utf-8",
                        "Content-Security-Policy",
                        CONTENT_SECURITY_POLICY,
                        "X-Frame-Options",
                        "DENY"));
    }

    private static void asset(Exchange exchange) throws IOException {
        var name = exchange.path("asset");
        var type = ASSETS.get(name);
        if (type == null) {
            throw new ApiException(
                    ErrorCode.ROUTE_NOT_FOUND, "/docs/" + name + " not found; see /docs");
        }
        send(
                exchange,
                resource("/META-INF/resources/webjars/swagger-ui/" + version() + "/" + name),
                Map.of("Content-Type", type, "Cache-Control", "max-age=3600"));
    }

    private static String version() throws IOException {
        var properties = new Properties();
        properties.load(new ByteArrayInputStream(resource(WEBJAR)));
        return properties.getProperty("version", "");
    }

    private static byte[] resource(String name) throws IOException {
        try (var in = DocsRoutes.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("Missing resource: " + name);
            }
            return in.readAllBytes();
        }
    }

    private static void send(Exchange exchange, byte[] bytes, Map<String, String> headers)
            throws IOException {
        send(exchange, 200, bytes, headers);
    }

    private static void send(
            Exchange exchange, int status, byte[] bytes, Map<String, String> headers)
            throws IOException {
        try (var out = exchange.stream(status, headers)) {
            out.write(bytes);
        }
    }
}
