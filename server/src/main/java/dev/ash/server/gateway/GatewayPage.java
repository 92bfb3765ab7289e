package dev.ash.server.gateway;

import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import java.io.IOException;
import java.util.Map;

/** Serves the documentation of the gateway, to which error messages to devices link. */
final class GatewayPage {
    private static final String PATH = "/docs/gateway";

    static Endpoint endpoint() {
        return Endpoint.get(PATH).open().handledBy(GatewayPage::show);
    }

    /** Returns the URL of the page; {@code gatewayUrl} begins with {@code wss:}. */
    static String url(String gatewayUrl) {
        return gatewayUrl.replaceFirst("^wss:", "https:").replaceAll("/+$", "") + PATH;
    }

    private static void show(Exchange exchange) throws IOException {
        var headers = Map.of("Content-Type", "text/plain; charset=utf-8");
        try (var page = GatewayPage.class.getResourceAsStream("gateway.md");
                var out = exchange.stream(200, headers)) {
            if (page == null) {
                throw new IOException("gateway.md is not on the class path");
            }
            page.transferTo(out);
        }
    }

    private GatewayPage() {}
}
