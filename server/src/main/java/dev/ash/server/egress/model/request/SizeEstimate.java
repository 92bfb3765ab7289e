package dev.ash.server.egress.model.request;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the tokens of a request from its length. The data of images and documents counts by
 * item instead, but only in the places where the provider decodes it: anywhere else it is text.
 */
final class SizeEstimate {
    /** Code has about 3 bytes for each token, with newer tokenizers 2.5. */
    private static final int BYTES_PER_TOKEN = 2;

    private static final long TOKENS_PER_IMAGE = 5_000;

    /** A short PDF can have many pages, and each counts as text and as an image. */
    private static final long MIN_TOKENS_PER_DOCUMENT = 300_000;

    private static final long TOKENS_PER_SEARCH = 10_000;
    private static final long DEFAULT_SEARCHES = 10;

    private long bytes;
    private long tokens;
    private long searches;
    private boolean cachesForAnHour;

    private SizeEstimate(int bytes) {
        this.bytes = bytes;
    }

    static CallSize of(Node.Obj request, int bytes) {
        var estimate = new SizeEstimate(bytes);
        var fields = request.fields();
        for (var message : objects(fields.get("messages"))) {
            estimate.content(message.get("content"));
        }
        for (var item : objects(fields.get("input"))) {
            estimate.content(item.get("content"));
            estimate.content(item.get("output"));
        }
        for (var tool : objects(fields.get("tools"))) {
            estimate.tool(tool);
        }
        estimate.cacheControls(request);
        long output = Math.max(number(fields.get("max_tokens")), 0);
        output = Math.max(output, number(fields.get("max_output_tokens")));
        output = Math.max(output, number(fields.get("max_completion_tokens")));
        long input =
                Math.max(0, estimate.bytes) / BYTES_PER_TOKEN
                        + estimate.tokens
                        + estimate.searches * TOKENS_PER_SEARCH;
        return new CallSize(
                text(fields.get("model")),
                Math.clamp(input, 1, CallSize.MAX_TOKENS),
                Math.min(output, CallSize.MAX_TOKENS),
                estimate.searches,
                estimate.cachesForAnHour);
    }

    private void content(@Nullable Node content) {
        for (var block : objects(content)) {
            switch (text(block.get("type"))) {
                case "image" -> source(block.get("source"), false);
                case "document" -> source(block.get("source"), true);
                case "tool_result" -> content(block.get("content"));
                case "input_image" -> data(block.get("image_url"), false);
                case "input_file" -> data(block.get("file_data"), true);
                default -> {}
            }
        }
    }

    private void source(@Nullable Node source, boolean document) {
        if (source instanceof Node.Obj(var fields) && text(fields.get("type")).equals("base64")) {
            data(fields.get("data"), document);
        }
    }

    private void data(@Nullable Node data, boolean document) {
        if (data instanceof Node.Text text) {
            if (document) {
                tokens += MIN_TOKENS_PER_DOCUMENT;
            } else {
                tokens += TOKENS_PER_IMAGE;
                bytes -= text.length();
            }
        }
    }

    private void tool(Map<String, Node> tool) {
        if (text(tool.get("type")).startsWith("web_search")) {
            long uses = number(tool.get("max_uses"));
            searches += uses > 0 ? Math.min(uses, 100) : DEFAULT_SEARCHES;
        }
    }

    /** Wherever it stands: a tool result may nest it. */
    private void cacheControls(Node node) {
        switch (node) {
            case Node.Obj(var fields) -> {
                if (fields.get("cache_control") instanceof Node.Obj(var control)
                        && text(control.get("ttl")).equals("1h")) {
                    cachesForAnHour = true;
                }
                fields.values().forEach(this::cacheControls);
            }
            case Node.Arr(var elements) -> elements.forEach(this::cacheControls);
            case Node.Text _, Node.Num _, Node.Bool _, Node.Null _ -> {}
        }
    }

    private static List<Map<String, Node>> objects(@Nullable Node node) {
        return node instanceof Node.Arr(var elements)
                ? elements.stream()
                        .filter(Node.Obj.class::isInstance)
                        .map(element -> ((Node.Obj) element).fields())
                        .toList()
                : List.of();
    }

    private static String text(@Nullable Node node) {
        return node instanceof Node.Text text && text.whole() ? text.start() : "";
    }

    private static long number(@Nullable Node node) {
        return node instanceof Node.Num(var value) ? (long) value : 0;
    }
}
