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

/** Sends one file to a client: as text inside JSON, or raw. */
public final class FileAnswers {
    /** How the client wants it. */
    public enum Form {
        JSON,
        RAW;

        public static Form of(Exchange exchange, String otherwise) {
            return switch (exchange.query("format").orElse(otherwise)) {
                case "json" -> JSON;
                case "raw" -> RAW;
                default -> throw ApiException.invalid("format", "must be json or raw");
            };
        }
    }

    /** {@code source} says where a session's file was found; agents have none to tell. */
    public static void read(Exchange exchange, FileTree tree, Form form, @Nullable String source)
            throws IOException {
        var path = exchange.path("path");
        switch (form) {
            case JSON -> {
                var bytes = tree.read(path, Limits.MAX_TEXT_FILE_BYTES);
                var text = new String(bytes, StandardCharsets.UTF_8);
                exchange.answer(200, new FileContent(path, text, bytes.length, source));
            }
            case RAW -> raw(exchange, tree, path, source);
        }
    }

    private static void raw(Exchange exchange, FileTree tree, String path, @Nullable String source)
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

    /** Never shown in place: what an agent wrote must not run as a page of ours. */
    public static String attachment(String path) {
        var name = path.substring(path.lastIndexOf('/') + 1);
        var encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
        return "attachment; filename*=UTF-8''" + encoded;
    }

    private FileAnswers() {}
}
