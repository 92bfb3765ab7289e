package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.device.Device;
import dev.ash.server.repository.Repositories;

/** What devices read of the folder that a session works in. */
final class FileMessages {
    private static final int PAGE_ENTRIES = 100;
    private static final int LINES = 500;

    private final Repositories repositories;

    FileMessages(Repositories repositories) {
        this.repositories = repositories;
    }

    /** Everything; a device that asks for a page gets hidden files only if it wants them. */
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
                        limit.orElse(isPaged ? PAGE_ENTRIES : Repositories.MAX_ENTRIES),
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
                        message.limit().orElse(LINES));
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
