package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.device.Device;
import dev.ash.server.repository.Repositories;

/** What devices read of the folder that a session works in. */
final class FileMessages {
    private static final int ENTRIES = 100;
    private static final int LINES = 500;

    private final Repositories repositories;

    FileMessages(Repositories repositories) {
        this.repositories = repositories;
    }

    GatewayFrame list(Device device, SessionId session, JsonObject fields)
            throws MalformedJsonException {
        var page =
                repositories.list(
                        device.tenant(),
                        session,
                        fields.string("path").orElse("."),
                        fields.integer("offset").orElse(0),
                        fields.integer("limit").orElse(ENTRIES),
                        fields.isTrue("includeHidden"));
        var payload =
                JsonWriter.object().put("session_id", session.value()).put("path", page.path());
        payload.name("entries").open('[');
        for (var entry : page.entries()) {
            payload.value(
                    JsonWriter.object()
                            .put("name", entry.name())
                            .put("path", entry.path())
                            .put("type", entry.isFolder() ? "directory" : "file")
                            .put("size", entry.size())
                            .put("modified", entry.modified().toString())
                            .end());
        }
        payload.close(']')
                .put("total", page.total())
                .put("offset", page.offset())
                .put("limit", page.limit())
                .put("hasMore", page.hasMore());
        return GatewayFrame.of("file_list_response", payload);
    }

    GatewayFrame read(Device device, SessionId session, JsonObject fields)
            throws MalformedJsonException {
        var page =
                repositories.read(
                        device.tenant(),
                        session,
                        fields.requireString("path"),
                        fields.integer("offset").orElse(0),
                        fields.integer("limit").orElse(LINES));
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
