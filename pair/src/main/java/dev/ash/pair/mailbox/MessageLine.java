package dev.ash.pair.mailbox;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Converts messages to and from lines of the file. */
final class MessageLine {
    /** Maximum length including the newline: the most that the public tool can read. */
    static final int MAX_BYTES = 10 * 1024 * 1024;

    private MessageLine() {}

    /**
     * Encodes a line with its newline: the fields of the public tool in their order, then the
     * fields of Ash.
     */
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

    /** Decodes a line at a position of the file. */
    static Entry decode(RawJson line, long seq) throws MalformedJsonException {
        var object = JsonObject.parse(line);
        var type = text(object, "type");
        if (type.isEmpty()) {
            throw new MalformedJsonException("the type is missing");
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

    private static EnumSet<Entry.Flag> flags(Message message, long seq, OptionalLong writtenSeq) {
        var flags = EnumSet.noneOf(Entry.Flag.class);
        if (message.id().isEmpty()) {
            flags.add(Entry.Flag.NO_ID);
        } else if (!message.id().equals(message.computedId())) {
            flags.add(Entry.Flag.WRONG_ID);
        }
        if (writtenSeq.isEmpty()) {
            flags.add(Entry.Flag.NO_SEQ);
        } else if (writtenSeq.getAsLong() != seq) {
            flags.add(Entry.Flag.WRONG_SEQ);
        }
        return flags;
    }

    private static String text(JsonObject object, String name) throws MalformedJsonException {
        var value = object.raw(name);
        if (value.isEmpty()) {
            return "";
        }
        return JsonObject.text(value.get())
                .orElseThrow(() -> new MalformedJsonException(name + " is not a string"));
    }

    private static @Nullable RawJson metadata(JsonObject object) {
        return object.raw("metadata").map(raw -> new RawJson(raw.toBytes())).orElse(null);
    }

    private static int smallNumber(JsonObject object, String name) {
        var number = number(object, name).orElse(0);
        return number == (int) number ? (int) number : 0;
    }

    /** Reads an optional number; an invalid one does not make the message unreadable. */
    private static OptionalLong number(JsonObject object, String name) {
        var raw = object.raw(name).map(RawJson::toString).orElse("");
        if (!raw.matches("-?[0-9]{1,18}")) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(Long.parseLong(raw));
    }
}
