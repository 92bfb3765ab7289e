package dev.ash.protocol.notice;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/**
 * A problem that blocks or limits an engine, with a remedy.
 *
 * @param kind for programs; one of the constants in {@link Notices}, or a kind of a newer server
 * @param text one sentence for people, identical for each retry of the engine
 * @param remedy the suggested action; empty if the text contains it
 */
public record Notice(String kind, String text, String remedy) {

    /** Returns the text and the remedy on one line. */
    public String line() {
        return remedy.isEmpty() ? text : text + " " + remedy;
    }

    public RawJson toJson() {
        return JsonWriter.object()
                .put("kind", kind)
                .put("text", text)
                .put("remedy", remedy.isEmpty() ? null : remedy)
                .end();
    }

    public static Notice parse(RawJson data) throws MalformedJsonException {
        var json = JsonObject.parse(data);
        return new Notice(
                json.requireString("kind"),
                json.requireString("text"),
                json.string("remedy").orElse(""));
    }
}
