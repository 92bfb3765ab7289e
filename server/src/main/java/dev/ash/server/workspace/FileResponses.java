package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.FileContent;
import dev.ash.server.http.Exchange;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/** Sends one file to a client, as text inside JSON or as raw bytes. */
public final class FileResponses {
    /** The format of the response. */
    public enum Form {
        JSON,
        RAW;

        public static Form of(Exchange exchange, String defaultFormat) {
            return switch (exchange.query("format").orElse(defaultFormat)) {
                case "json" -> JSON;
                case "raw" -> RAW;
                default -> throw ApiException.invalid("format", "must be json or raw");
            };
        }
    }

    /** {@code source} says where a session's file was found; null for files of agents. */
    public static void read(Exchange exchange, FileTree tree, Form form, @Nullable String source)
            throws IOException {
        var path = exchange.path("path");
        switch (form) {
            case JSON -> {
                var bytes = tree.read(path, Limits.MAX_TEXT_FILE_BYTES);
                var text = new String(bytes, StandardCharsets.UTF_8);
                exchange.respond(200, new FileContent(path, text, bytes.length, source));
            }
            case RAW -> sendRaw(exchange, tree, path, source);
        }
    }

    private static void sendRaw(
            Exchange exchange, FileTree tree, String path, @Nullable String source)
            throws IOException {
        try (var file = tree.open(path, Limits.MAX_DOWNLOAD_BYTES)) {
            var headers = new LinkedHashMap<String, String>();
            headers.put("Content-Type", ContentTypes.of(path));
            headers.put("Content-Length", Long.toString(file.size()));
            headers.put("Content-Disposition", attachment(path));
            headers.put("X-Content-Type-Options", "nosniff");
            if (source != null) {
                headers.put("X-Ash-Source", source);
            }
            try (var out = exchange.stream(200, headers)) {
                file.content().transferTo(out);
            }
        }
    }

    /**
     * Returns a Content-Disposition that makes browsers download the file: content written by an
     * agent must not run in the server's origin.
     */
    public static String attachment(String path) {
        var name = path.substring(path.lastIndexOf('/') + 1);
        var encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
        return "attachment; filename*=UTF-8''" + encoded;
    }

    private FileResponses() {}
}
