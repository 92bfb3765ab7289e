package dev.ash.server.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Responds with {@code {"name":[…]}} element by element, so that the list is never entirely in
 * memory. Call {@link #end} only after the last element: a truncated list must not look complete.
 */
public final class JsonList {
    private final OutputStream out;
    private boolean needsComma;

    public JsonList(Exchange exchange, String name) throws IOException {
        this.out = exchange.json(200);
        text("{\"" + name + "\":[");
    }

    public void add(Object element) throws IOException {
        if (needsComma) {
            out.write(',');
        }
        needsComma = true;
        Json.write(out, element);
    }

    public void end() throws IOException {
        text("]}");
        out.close();
    }

    private void text(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
