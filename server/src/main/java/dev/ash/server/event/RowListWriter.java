package dev.ash.server.event;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes {@code {"events":[…]}} row by row. Call {@link #finish} only after the last row: a list
 * that was aborted must not look complete.
 */
public final class RowListWriter implements EventViews.RowConsumer {
    private final OutputStream out;
    private final RowFormat format;
    private long count;

    private interface RowFormat {
        void write(ViewRow row, OutputStream out) throws IOException;
    }

    private RowListWriter(OutputStream out, String name, RowFormat format) throws IOException {
        this.out = out;
        this.format = format;
        write("{\"" + name + "\":[");
    }

    public static RowListWriter messages(OutputStream out) throws IOException {
        return new RowListWriter(out, "messages", ViewRow::writeMessage);
    }

    public static RowListWriter events(OutputStream out) throws IOException {
        return new RowListWriter(out, "events", ViewRow::writeEvent);
    }

    @Override
    public boolean accept(ViewRow row) throws IOException {
        if (count++ > 0) {
            out.write(',');
        }
        format.write(row, out);
        return true;
    }

    /** Completes the list and closes the stream. */
    public void finish() throws IOException {
        write("]}");
        out.close();
    }

    private void write(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
