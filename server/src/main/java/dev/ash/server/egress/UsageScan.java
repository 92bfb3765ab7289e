package dev.ash.server.egress;

import java.util.ArrayDeque;
import java.util.Deque;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Finds {@code model}, {@code type} and {@code usage} in a message of the model, token by token and
 * by their place, so that an answer which quotes a usage object changes nothing.
 */
final class UsageScan {
    private final Deque<String> path = new ArrayDeque<>();
    private String name = "";
    private String model = "";
    private String type = "";
    private long input;
    private long cacheWritten;
    private long cacheHour;
    private long cacheRead;
    private long cachedPart;
    private long output;
    private long searches;
    private boolean ended;

    void token(JsonToken token, JsonParser parser) {
        switch (token) {
            case START_OBJECT, START_ARRAY -> path.addLast(name);
            case END_OBJECT, END_ARRAY -> {
                path.removeLast();
                ended = path.isEmpty();
            }
            case PROPERTY_NAME -> name = parser.currentName();
            case VALUE_STRING -> text(parser);
            case VALUE_NUMBER_INT -> number(place(), parser);
            default -> {}
        }
    }

    /** Where the value stands, below {@code message} or {@code response} if it is there. */
    private String place() {
        var names = new ArrayDeque<>(path);
        names.pollFirst();
        if ("message".equals(names.peekFirst()) || "response".equals(names.peekFirst())) {
            names.pollFirst();
        }
        names.addLast(name);
        return names.size() > 3 ? "" : String.join(".", names);
    }

    private void text(JsonParser parser) {
        if (path.size() > 2 || !(name.equals("model") || name.equals("type"))) {
            return;
        }
        var place = place();
        if (place.equals("model")) {
            model = parser.getString();
        } else if (path.size() == 1 && place.equals("type")) {
            type = parser.getString();
        }
    }

    private void number(String place, JsonParser parser) {
        switch (place) {
            case "usage.input_tokens" -> input = count(parser);
            case "usage.cache_creation_input_tokens" -> cacheWritten = count(parser);
            case "usage.cache_creation.ephemeral_1h_input_tokens" -> cacheHour = count(parser);
            case "usage.cache_read_input_tokens" -> cacheRead = count(parser);
            case "usage.input_tokens_details.cached_tokens" -> cachedPart = count(parser);
            case "usage.output_tokens" -> output = count(parser);
            case "usage.server_tool_use.web_search_requests" -> searches = count(parser);
            default -> {}
        }
    }

    private static long count(JsonParser parser) {
        return Math.clamp(parser.getLongValue(), 0, Integer.MAX_VALUE);
    }

    /** Whether the outermost object was closed. */
    boolean ended() {
        return ended;
    }

    String model() {
        return model;
    }

    String type() {
        return type;
    }

    TokenCounts counts() {
        long hour = Math.min(cacheHour, cacheWritten);
        long cached = Math.min(cachedPart, input); // which the Responses API counts as input too
        return new TokenCounts(
                input - cached, cacheWritten - hour, hour, cacheRead + cached, output, searches);
    }
}
