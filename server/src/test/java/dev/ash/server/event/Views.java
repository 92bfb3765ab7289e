package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.http.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/** Reads the rows of a view as JSON, which must equal the serialized API records. */
final class Views {
    interface Page {
        void writeTo(EventViews.RowConsumer rows) throws IOException, InterruptedException;
    }

    static List<SessionApi.Message> messages(Page page) throws InterruptedException {
        try {
            var out = new ByteArrayOutputStream();
            var rows = RowListWriter.messages(out);
            page.writeTo(rows);
            rows.finish();
            var read = Json.read(out.toByteArray(), SessionApi.Messages.class);
            assertThat(out.toByteArray()).isEqualTo(Json.write(read));
            return read.messages();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static List<SessionApi.Event> events(Page page) throws InterruptedException {
        try {
            var out = new ByteArrayOutputStream();
            var rows = RowListWriter.events(out);
            page.writeTo(rows);
            rows.finish();
            var read = Json.read(out.toByteArray(), SessionApi.Events.class);
            assertThat(out.toByteArray()).isEqualTo(Json.write(read));
            return read.events();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Views() {}
}
