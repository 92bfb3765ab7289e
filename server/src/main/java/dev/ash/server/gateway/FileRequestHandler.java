package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.device.Device;
import dev.ash.server.repository.Repositories;

/** Handles requests of devices for files in the working directory of a session. */
final class FileRequestHandler {
    private static final int DEFAULT_PAGE_ENTRIES = 100;
    private static final int DEFAULT_LINES = 500;

    private final Repositories repositories;

    FileRequestHandler(Repositories repositories) {
        this.repositories = repositories;
    }

    /** Lists all entries, or a page, which by default excludes hidden files. */
    GatewayFrame list(Device device, DeviceMessage.ListFiles message) {
        var session = message.session();
        var offset = message.offset();
        var limit = message.limit();
        boolean isPaged = offset.isPresent() || limit.isPresent();
        var page =
                repositories.list(
                        device.tenant(),
                        session,
                        message.path(),
                        offset.orElse(0),
                        limit.orElse(isPaged ? DEFAULT_PAGE_ENTRIES : Repositories.MAX_ENTRIES),
                        message.includeHidden().orElse(!isPaged));
        var payload =
                JsonWriter.object().put("session_id", session.value()).put("path", page.path());
        payload.name("entries").open('[');
        for (var entry : page.entries()) {
            payload.value(
                    JsonWriter.object()
                            .put("name", entry.name())
                            .put("path", entry.path())
                            .put("type", entry.isDirectory() ? "directory" : "file")
                            .put("size", entry.size())
                            .put("modified", entry.modified().toString())
                            .end());
        }
        payload.close(']')
                .put("total", page.total())
                .put("offset", page.offset())
                .put("limit", isPaged ? page.limit() : page.entries().size())
                .put("hasMore", page.hasMore());
        return GatewayFrame.of("file_list_response", payload);
    }

    GatewayFrame read(Device device, DeviceMessage.ReadFile message) {
        var session = message.session();
        var page =
                repositories.read(
                        device.tenant(),
                        session,
                        message.path(),
                        message.offset().orElse(0),
                        message.limit().orElse(DEFAULT_LINES));
        return GatewayFrame.of(
                "file_read_response",
                JsonWriter.object()
                        .put("session_id", session.value())
                        .put("path", page.path())
                        .put("content", page.content())
                        .put("size", page.size())
                        .put("lines", page.lines())
                        .put("offset", page.offset())
                        .put("limit", page.count())
                        .put("hasMore", page.hasMore())
                        .put("binary", page.binary())
                        .put("encoding", page.binary() ? "binary" : "utf8"));
    }
}
