package dev.ash.pair.mailbox;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A message as a line of the file, and back. */
final class MessageLine {
    /** With its newline. What the public tool can read, and so the most that anybody may write. */
    static final int MAX_BYTES = 10 * 1024 * 1024;

    private MessageLine() {}

    /** In the order of the public tool, our own fields last; with the newline. */
    static byte[] encode(Message message, long seq) {
        var json =
                JsonWriter.object()
                        .put("id", message.id())
                        .put("type", message.type())
                        .put("from", message.from())
                        .put("to", message.to())
                        .put("content", message.content())
                        .put("signal", message.signal())
                        .put("metadata", message.metadata())
                        .put("timestamp", message.timestamp())
                        .put("run_id", message.runId())
                        .put("iteration", message.iteration())
                        .put("seq", seq)
                        .put("client_id", message.clientId())
                        .end();
        var line = Arrays.copyOf(json.toBytes(), json.length() + 1);
        line[json.length()] = '\n';
        return line;
    }

    /** The message in a line that stands at this place of the file. */
    static Entry decode(RawJson line, long seq) throws MalformedJsonException {
        var object = JsonObject.parse(line);
        var type = text(object, "type");
        if (type.isEmpty()) {
            throw new MalformedJsonException("a line without a type");
        }
        var clientId = text(object, "client_id");
        var message =
                new Message(
                        text(object, "id"),
                        smallNumber(object, "run_id"),
                        type,
                        text(object, "from"),
                        text(object, "to"),
                        text(object, "content"),
                        text(object, "signal"),
                        text(object, "timestamp"),
                        smallNumber(object, "iteration"),
                        metadata(object),
                        clientId.isEmpty() ? null : clientId);
        return new Entry(seq, message, flags(message, seq, number(object, "seq")));
    }

    private static EnumSet<Entry.Flag> flags(Message message, long seq, OptionalLong written) {
        var flags = EnumSet.noneOf(Entry.Flag.class);
        if (message.id().isEmpty()) {
            flags.add(Entry.Flag.NO_ID);
        } else if (!message.id().equals(message.computedId())) {
            flags.add(Entry.Flag.OTHER_ID);
        }
        if (written.isEmpty()) {
            flags.add(Entry.Flag.NO_SEQ);
        } else if (written.getAsLong() != seq) {
            flags.add(Entry.Flag.OTHER_SEQ);
        }
        return flags;
    }

    private static String text(JsonObject object, String name) throws MalformedJsonException {
        var value = object.raw(name);
        if (value.isEmpty()) {
            return "";
        }
        return JsonObject.text(value.get())
                .orElseThrow(() -> new MalformedJsonException(name + " is no string"));
    }

    private static @Nullable RawJson metadata(JsonObject object) {
        return object.raw("metadata").map(raw -> new RawJson(raw.toBytes())).orElse(null);
    }

    private static int smallNumber(JsonObject object, String name) {
        var number = number(object, name).orElse(0);
        return number == (int) number ? (int) number : 0;
    }

    /** Numbers are side matter: one that cannot be read does not make a message unreadable. */
    private static OptionalLong number(JsonObject object, String name) {
        var raw = object.raw(name).map(RawJson::toString).orElse("");
        if (!raw.matches("-?[0-9]{1,18}")) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Long.parseLong(raw));
    }
}
