package dev.ash.server.egress.model.request;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the tokens of a request from its length. Images and documents count by item instead,
 * but only where the provider decodes them; elsewhere their data is text. Field names are unique
 * across formats, so one estimate serves all of them.
 */
final class CallEstimate {
    /** Low on purpose: code has about 3 bytes per token, or 2.5 with newer tokenizers. */
    private static final int BYTES_PER_TOKEN = 2;

    private static final long TOKENS_PER_IMAGE = 5_000;

    /** A small PDF can have many pages, each of which counts as text and as an image. */
    private static final long MIN_TOKENS_PER_DOCUMENT = 300_000;

    private static final long TOKENS_PER_SEARCH = 10_000;
    private static final long DEFAULT_SEARCHES = 10;

    /** Each choice is charged; a request without a number has one. */
    private static final long MAX_CHOICES = 128;

    private static final List<String> MAX_OUTPUT_FIELDS =
            List.of(
                    "max_tokens",
                    "max_output_tokens",
                    "max_completion_tokens",
                    "maxOutputTokens"); // in generationConfig

    private static final List<String> CHOICES_FIELDS =
            List.of("n", "candidateCount", "candidate_count");

    private long bytes;
    private long tokens;
    private long searches;
    private boolean cachesForAnHour;

    private CallEstimate(int bytes) {
        this.bytes = bytes;
    }

    static CallSize of(Node.Obj request, int bytes) {
        var estimate = new CallEstimate(bytes);
        var fields = request.fields();
        estimate.addInput(fields);
        for (var tool : objects(fields.get("tools"))) {
            estimate.addTool(tool);
        }
        if (fields.containsKey("web_search_options")) {
            estimate.searches += DEFAULT_SEARCHES;
        }
        estimate.findCacheControls(request);
        long input =
                Math.max(0, estimate.bytes) / BYTES_PER_TOKEN
                        + estimate.tokens
                        + estimate.searches * TOKENS_PER_SEARCH;
        return new CallSize(
                text(fields.get("model")),
                Math.clamp(input, 1, CallSize.MAX_TOKENS),
                maxOutput(fields),
                estimate.searches,
                estimate.cachesForAnHour,
                isPriority(fields));
    }

    private void addInput(Map<String, Node> fields) {
        for (var message : objects(fields.get("messages"))) {
            addContent(message.get("content"));
        }
        for (var item : objects(fields.get("input"))) {
            addContent(item.get("content"));
            addContent(item.get("output"));
        }
        for (var content : objects(fields.get("contents"))) {
            addParts(content.get("parts"));
        }
    }

    private static long maxOutput(Map<String, Node> fields) {
        long output = max(fields, MAX_OUTPUT_FIELDS);
        long choices = max(fields, CHOICES_FIELDS);
        for (var name : List.of("generationConfig", "generation_config")) {
            if (fields.get(name) instanceof Node.Obj(var config)) {
                output = Math.max(output, max(config, MAX_OUTPUT_FIELDS));
                choices = Math.max(choices, max(config, CHOICES_FIELDS));
            }
        }
        return Math.min(
                Math.min(output, CallSize.MAX_TOKENS) * Math.clamp(choices, 1, MAX_CHOICES),
                CallSize.MAX_TOKENS);
    }

    private static long max(Map<String, Node> fields, List<String> names) {
        return names.stream().mapToLong(name -> number(fields.get(name))).max().orElse(0);
    }

    private static boolean isPriority(Map<String, Node> fields) {
        var tier =
                Optional.ofNullable(fields.get("service_tier"))
                        .or(() -> Optional.ofNullable(fields.get("serviceTier")));
        return tier.map(CallEstimate::text).filter(CallEstimate::isFastTier).isPresent()
                || text(fields.get("speed")).equals("fast");
    }

    private static boolean isFastTier(String tier) {
        return !List.of("", "auto", "default", "standard", "standard_only", "flex").contains(tier);
    }

    private void addContent(@Nullable Node content) {
        for (var block : objects(content)) {
            switch (text(block.get("type"))) {
                case "image" -> addSource(block.get("source"), false);
                case "document" -> addSource(block.get("source"), true);
                case "tool_result" -> addContent(block.get("content"));
                case "input_image" -> addData(block.get("image_url"), false);
                case "input_file" -> addData(block.get("file_data"), true);
                case "image_url" -> addData(field(block.get("image_url"), "url"), false);
                case "file" -> addData(field(block.get("file"), "file_data"), true);
                default -> {}
            }
        }
    }

    private void addSource(@Nullable Node source, boolean document) {
        if (text(field(source, "type")).equals("base64")) {
            addData(field(source, "data"), document);
        }
    }

    private void addParts(@Nullable Node parts) {
        for (var part : objects(parts)) {
            for (var name : List.of("inlineData", "inline_data")) {
                addInlineData(part.get(name));
            }
            for (var name : List.of("functionResponse", "function_response")) {
                addParts(field(part.get(name), "parts"));
            }
        }
    }

    private void addInlineData(@Nullable Node inline) {
        var type = text(field(inline, "mimeType")) + text(field(inline, "mime_type"));
        if (type.startsWith("image/")) {
            addData(field(inline, "data"), false);
        } else if (type.startsWith("application/")) {
            addData(field(inline, "data"), true);
        }
    }

    private void addData(@Nullable Node data, boolean document) {
        if (data instanceof Node.Text text) {
            if (document) {
                tokens += MIN_TOKENS_PER_DOCUMENT;
            } else {
                tokens += TOKENS_PER_IMAGE;
                bytes -= text.length();
            }
        }
    }

    private void addTool(Map<String, Node> tool) {
        boolean isSearch =
                text(tool.get("type")).startsWith("web_search")
                        || tool.containsKey("googleSearch")
                        || tool.containsKey("google_search");
        if (isSearch) {
            long uses = number(tool.get("max_uses"));
            searches += uses > 0 ? Math.min(uses, 100) : DEFAULT_SEARCHES;
        }
    }

    /** Searches the whole request: a tool result may contain nested cache controls. */
    private void findCacheControls(Node node) {
        switch (node) {
            case Node.Obj(var fields) -> {
                if (text(field(fields.get("cache_control"), "ttl")).equals("1h")) {
                    cachesForAnHour = true;
                }
                fields.values().forEach(this::findCacheControls);
            }
            case Node.Arr(var elements) -> elements.forEach(this::findCacheControls);
            case Node.Text _, Node.Num _, Node.Bool _, Node.Null _ -> {}
        }
    }

    private static @Nullable Node field(@Nullable Node node, String name) {
        return node instanceof Node.Obj(var fields) ? fields.get(name) : null;
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
        return node instanceof Node.Num(var value) ? Math.max(0, (long) value) : 0;
    }
}
