package dev.ash.server.workspace;

import java.util.Locale;
import java.util.Map;

/** Maps file name extensions to content types. */
public final class ContentTypes {
    private static final String TEXT = "text/plain; charset=utf-8";

    private static final Map<String, String> BY_EXTENSION =
            Map.ofEntries(
                    Map.entry("css", "text/css; charset=utf-8"),
                    Map.entry("csv", "text/csv; charset=utf-8"),
                    Map.entry("gif", "image/gif"),
                    Map.entry("gz", "application/gzip"),
                    Map.entry("html", "text/html; charset=utf-8"),
                    Map.entry("htm", "text/html; charset=utf-8"),
                    Map.entry("java", TEXT),
                    Map.entry("jpeg", "image/jpeg"),
                    Map.entry("jpg", "image/jpeg"),
                    Map.entry("js", "text/javascript; charset=utf-8"),
                    Map.entry("json", "application/json"),
                    Map.entry("jsonl", "application/x-ndjson"),
                    Map.entry("log", TEXT),
                    Map.entry("md", "text/markdown; charset=utf-8"),
                    Map.entry("mjs", "text/javascript; charset=utf-8"),
                    Map.entry("mp3", "audio/mpeg"),
                    Map.entry("mp4", "video/mp4"),
                    Map.entry("pdf", "application/pdf"),
                    Map.entry("png", "image/png"),
                    Map.entry("py", TEXT),
                    Map.entry("sh", TEXT),
                    Map.entry("svg", "image/svg+xml"),
                    Map.entry("tar", "application/x-tar"),
                    Map.entry("ts", TEXT),
                    Map.entry("txt", TEXT),
                    Map.entry("wasm", "application/wasm"),
                    Map.entry("webp", "image/webp"),
                    Map.entry("xml", "application/xml"),
                    Map.entry("yaml", "application/yaml"),
                    Map.entry("yml", "application/yaml"),
                    Map.entry("zip", "application/zip"));

    public static String of(String path) {
        var name = path.substring(path.lastIndexOf('/') + 1);
        var extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        return name.indexOf('.') < 0
                ? "application/octet-stream"
                : BY_EXTENSION.getOrDefault(extension, "application/octet-stream");
    }

    private ContentTypes() {}
}
