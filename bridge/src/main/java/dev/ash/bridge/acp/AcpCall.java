package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A tool call of an agent, merged from its updates: each one has only the fields that changed. Not
 * thread-safe.
 */
final class AcpCall {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");

    /** Ids of Gemini have the name of the tool, once or twice, before a time. */
    private static final Pattern NAME_IN_ID =
            Pattern.compile("([A-Za-z][A-Za-z0-9_]*?)(?:__\\1_|-)\\d{10,}.*");

    private final String id;
    private String title = "";
    private String kind = "";
    private String status = "";
    private String name = "";
    private @Nullable RawJson input;
    private @Nullable RawJson output;
    private @Nullable RawJson content;
    private @Nullable RawJson locations;
    private @Nullable AcpToolUse announced;
    private boolean closed;

    AcpCall(String id) {
        this.id = id;
        var inId = NAME_IN_ID.matcher(id);
        if (inId.matches()) {
            name = inId.group(1);
        }
    }

    String id() {
        return id;
    }

    /** Applies an update of the call. */
    void update(JsonObject update) throws MalformedJsonException {
        var newTitle = update.string("title");
        kind = update.string("kind").orElse(kind);
        readName(update, newTitle.orElse(""));
        title = newTitle.orElse(title);
        status = update.string("status").orElse(status);
        input = object(update, "rawInput").orElse(input);
        output = update.raw("rawOutput").orElse(output);
        content = array(update, "content").orElse(content);
        locations = array(update, "locations").orElse(locations);
    }

    /**
     * Adds what a request for permission contains beyond the updates. Its input may be a summary,
     * or the only one so far; of two command lines, it has the one that a person decides about.
     */
    void complement(JsonObject request) throws MalformedJsonException {
        var known = input;
        var knownContent = content;
        var knownStatus = status;
        update(request);
        status = knownStatus;
        content = AcpToolResult.objects(knownContent).isEmpty() ? content : knownContent;
        input = merge(known, object(request, "rawInput").orElse(null));
    }

    private static @Nullable RawJson merge(@Nullable RawJson known, @Nullable RawJson requested)
            throws MalformedJsonException {
        if (known == null || requested == null) {
            return known == null ? requested : known;
        }
        var fields = new LinkedHashMap<String, RawJson>();
        for (var source : List.of(JsonObject.parse(known), JsonObject.parse(requested))) {
            for (var name : source.names()) {
                var value = source.raw(name).orElse(RawJson.NULL);
                if (name.equals("command")) {
                    fields.put(name, value);
                } else {
                    fields.putIfAbsent(name, value);
                }
            }
        }
        var json = JsonWriter.object();
        fields.forEach(json::put);
        return json.end();
    }

    /** The first title of a call may be the name of its tool; the name may also be in metadata. */
    private void readName(JsonObject update, String newTitle) throws MalformedJsonException {
        var meta = update.object("_meta");
        if (meta.isPresent()) {
            for (var member : meta.get().names()) {
                var vendor = meta.get().object(member);
                if (vendor.isPresent()) {
                    var call = vendor.get().object("toolCall").orElse(vendor.get());
                    name = call.string("toolName").orElse(name);
                }
            }
        }
        if (name.isEmpty() && title.isEmpty() && NAME.matcher(newTitle).matches()) {
            name = newTitle;
        }
    }

    private static Optional<RawJson> object(JsonObject update, String field) {
        return update.raw(field).filter(value -> value.byteAt(0) == '{');
    }

    private static Optional<RawJson> array(JsonObject update, String field) {
        return update.raw(field).filter(value -> value.byteAt(0) == '[');
    }

    /**
     * Returns whether the agent has sent all of the input: agents that report a pending call
     * complete its input later.
     */
    boolean hasCompleteInput() {
        return status.isEmpty() ? input != null : !isPending();
    }

    boolean isPending() {
        return status.equals("pending");
    }

    boolean isFinished() {
        return status.equals("completed") || status.equals("failed");
    }

    boolean hasFailed() {
        return status.equals("failed");
    }

    /** Returns the agent's name of the tool; empty if unknown. */
    String name() {
        return name;
    }

    String title() {
        return title;
    }

    String kind() {
        return kind;
    }

    JsonObject input() throws MalformedJsonException {
        return JsonObject.parse(input == null ? RawJson.EMPTY_OBJECT : input);
    }

    Optional<RawJson> output() {
        return Optional.ofNullable(output);
    }

    List<JsonObject> content() throws MalformedJsonException {
        return AcpToolResult.objects(content);
    }

    /** Returns the file that the call is about, according to its locations. */
    Optional<String> path() throws MalformedJsonException {
        var all = AcpToolResult.objects(locations);
        return all.isEmpty() ? Optional.empty() : all.getFirst().string("path");
    }

    /** Returns the first change of a file in the content. */
    Optional<JsonObject> change() throws MalformedJsonException {
        for (var item : content()) {
            if (item.string("type").orElse("").equals("diff")) {
                return Optional.of(item);
            }
        }
        return Optional.empty();
    }

    void announce(AcpToolUse use) {
        announced = use;
    }

    /** Returns the call as it was sent to clients; null if it was not yet. */
    @Nullable AcpToolUse announced() {
        return announced;
    }

    /** Frees what is no longer needed: a turn may have many calls. */
    void close() {
        closed = true;
        input = null;
        output = null;
        content = null;
        locations = null;
    }

    /** Returns whether its result was sent. */
    boolean isClosed() {
        return closed;
    }
}
