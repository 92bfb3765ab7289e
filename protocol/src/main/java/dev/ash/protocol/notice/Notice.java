package dev.ash.protocol.notice;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;

/**
 * What an engine waits for or lacks.
 *
 * @param kind for programs; one of the constants in {@link Notices}, or a kind of a newer server
 * @param text one sentence for people, the same each time the engine repeats its attempt
 * @param remedy what the person can do about it; empty if the text says so itself
 */
public record Notice(String kind, String text, String remedy) {

    /** On one line. */
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
