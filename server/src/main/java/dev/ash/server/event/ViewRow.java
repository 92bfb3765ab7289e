package dev.ash.server.event;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code GET …/messages} or {@code GET …/events}, with its stored data.
 *
 * @param kind the role of a message, or the type of an event
 */
public record ViewRow(
        String id,
        String sessionId,
        String tenantId,
        String kind,
        RawJson data,
        long sequence,
        String createdAt,
        long seq,
        @Nullable String turnId) {

    /** Writes the row as a {@code SessionApi.Message}. */
    void writeMessage(OutputStream out) throws IOException {
        write(out, "role", "content");
    }

    /** Writes the row as a {@code SessionApi.Event}. */
    void writeEvent(OutputStream out) throws IOException {
        write(out, "type", "data");
    }

    private void write(OutputStream out, String kindName, String dataName) throws IOException {
        var begin =
                JsonWriter.object()
                        .put("id", id)
                        .put("sessionId", sessionId)
                        .put("tenantId", tenantId)
                        .put(kindName, kind)
                        .name(dataName);
        begin.toRawJson().writeTo(out);
        data.writeQuotedTo(out);
        var end =
                JsonWriter.object()
                        .put("sequence", sequence)
                        .put("createdAt", createdAt)
                        .put("seq", seq)
                        .put("turnId", turnId)
                        .end()
                        .toString();
        out.write((',' + end.substring(1)).getBytes(StandardCharsets.UTF_8));
    }
}
