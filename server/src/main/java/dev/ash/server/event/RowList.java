package dev.ash.server.event;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes {@code {"events":[…]}} row after row. It must be ended by {@link #end}: a list that breaks
 * off must not look complete.
 */
public final class RowList implements EventViews.Rows {
    private final OutputStream out;
    private final Form form;
    private long count;

    private interface Form {
        void write(ViewRow row, OutputStream out) throws IOException;
    }

    private RowList(OutputStream out, String name, Form form) throws IOException {
        this.out = out;
        this.form = form;
        text("{\"" + name + "\":[");
    }

    public static RowList messages(OutputStream out) throws IOException {
        return new RowList(out, "messages", ViewRow::writeMessage);
    }

    public static RowList events(OutputStream out) throws IOException {
        return new RowList(out, "events", ViewRow::writeEvent);
    }

    @Override
    public boolean add(ViewRow row) throws IOException {
        if (count++ > 0) {
            out.write(',');
        }
        form.write(row, out);
        return true;
    }

    /** Completes the list and closes what it is written to. */
    public void end() throws IOException {
        text("]}");
        out.close();
    }

    private void text(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
