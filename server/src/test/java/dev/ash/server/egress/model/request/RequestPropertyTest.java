package dev.ash.server.egress.model.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Tests that the check does not depend on the formatting of a request. */
class RequestPropertyTest {
    private static final int TRIES = Integer.getInteger("ash.fuzz.rounds", 500);
    private static final RequestPolicy CHAT = RequestCheckTest.policy(RequestFormat.OPENAI_CHAT);
    private static final RequestPolicy GOOGLE =
            RequestCheckTest.policy(RequestFormat.GOOGLE_GENERATE);

    @Property(tries = 500)
    void acceptsRequestsWithKnownFields(@ForAll long seed) throws RequestRejectedException {
        for (int round = 0; round < Math.max(1, TRIES / 500); round++) {
            var random = new Random(seed + round);
            assertThat(
                            check(
                                    RequestCheckTest.ANTHROPIC,
                                    new RandomJsonWriter(random).write(messages(random))))
                    .isEmpty();
            assertThat(
                            check(
                                    RequestCheckTest.OPENAI,
                                    new RandomJsonWriter(random).write(responses(random))))
                    .isEmpty();
            assertThat(check(CHAT, new RandomJsonWriter(random).write(chat(random)))).isEmpty();
            assertThat(check(GOOGLE, new RandomJsonWriter(random).write(generate(random))))
                    .isEmpty();
        }
    }

    @Property(tries = 500)
    void rejectsForbiddenPartsAnywhere(@ForAll long seed) {
        for (int round = 0; round < Math.max(1, TRIES / 500); round++) {
            var random = new Random(seed + round);
            assertRejected(
                    RequestCheckTest.ANTHROPIC,
                    withForbiddenPart(messages(random), random, true),
                    random);
            assertRejected(
                    RequestCheckTest.OPENAI,
                    withForbiddenPart(responses(random), random, false),
                    random);
            assertRejected(CHAT, withForbiddenChatPart(chat(random), random), random);
            assertRejected(GOOGLE, withForbiddenGooglePart(generate(random), random), random);
        }
    }

    @Property(tries = 500)
    void acceptsOrRejectsMutatedBytes(@ForAll byte[] bytes, @ForAll long seed) {
        var random = new Random(seed);
        var body =
                new RandomJsonWriter(random)
                        .write(messages(random))
                        .getBytes(StandardCharsets.UTF_8);
        for (var b : bytes) {
            body[random.nextInt(body.length)] = b;
        }
        try {
            RequestCheckTest.ANTHROPIC.checkBody(body);
        } catch (RequestRejectedException e) {
            assertThat(e.message()).startsWith("Ash rejected").matches("[\\x20-\\x7E]+");
        }
    }

    private static List<String> check(RequestPolicy policy, String body)
            throws RequestRejectedException {
        return RequestCheckTest.check(policy, body);
    }

    private static void assertRejected(RequestPolicy policy, Object tree, Random random) {
        var body = new RandomJsonWriter(random).write(tree);
        assertThatThrownBy(() -> check(policy, body))
                .as(body)
                .isInstanceOf(RequestRejectedException.class);
    }

    private static Map<String, Object> object(Object... pairs) {
        var object = new LinkedHashMap<String, Object>();
        for (int i = 0; i < pairs.length; i += 2) {
            object.put((String) pairs[i], pairs[i + 1]);
        }
        return object;
    }

    private static List<Object> list(Object... elements) {
        return new ArrayList<>(List.of(elements));
    }

    private static String text(Random random) {
        var text = new StringBuilder(random.nextBoolean() ? "https://a.example/ " : "file-1 ");
        for (int i = random.nextInt(20); i > 0; i--) {
            int point = random.nextInt(random.nextBoolean() ? 0x80 : 0x10FFFF);
            text.appendCodePoint(
                    point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE
                            ? 'x'
                            : point);
        }
        return text.toString();
    }

    private static Map<String, Object> messages(Random random) {
        var content = list();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            content.add(
                    switch (random.nextInt(4)) {
                        case 0 -> object("type", "text", "text", text(random));
                        case 1 ->
                                object(
                                        "type",
                                        "image",
                                        "source",
                                        object(
                                                "type",
                                                "base64",
                                                "media_type",
                                                "image/png",
                                                "data",
                                                text(random)));
                        case 2 ->
                                object(
                                        "type",
                                        "tool_use",
                                        "id",
                                        "t",
                                        "name",
                                        "Bash",
                                        "input",
                                        object("url", text(random), "mcp_servers", list(1)));
                        default ->
                                object(
                                        "type",
                                        "tool_result",
                                        "tool_use_id",
                                        "t",
                                        "content",
                                        list(object("type", "text", "text", text(random))));
                    });
        }
        return object(
                "model",
                "claude-x",
                "max_tokens",
                random.nextInt(),
                "stream",
                random.nextBoolean(),
                "messages",
                list(object("role", "user", "content", content)),
                "tools",
                list(object("name", "Bash", "input_schema", object("type", "object"))));
    }

    private static Map<String, Object> responses(Random random) {
        return object(
                "store",
                false,
                "input",
                list(
                        object(
                                "role",
                                "user",
                                "content",
                                list(object("type", "input_text", "text", text(random)))),
                        object(
                                "type",
                                "function_call_output",
                                "call_id",
                                "c",
                                "output",
                                text(random))),
                "tools",
                list(object("type", "function", "name", "f", "parameters", object("a", 1))));
    }

    private static Map<String, Object> chat(Random random) {
        var content =
                list(
                        object("type", "text", "text", text(random)),
                        object(
                                "type",
                                "image_url",
                                "image_url",
                                object("url", "data:image/png;base64," + text(random))));
        var call =
                object(
                        "id",
                        "c",
                        "type",
                        "function",
                        "function",
                        object("name", "f", "arguments", text(random)));
        return object(
                "model",
                "gpt-x",
                "messages",
                list(
                        object("role", "user", "content", content),
                        object("role", "assistant", "content", "", "tool_calls", list(call)),
                        object("role", "tool", "tool_call_id", "c", "content", text(random))),
                "tools",
                list(object("type", "function", "function", object("name", "f"))),
                "stream_options",
                object("include_usage", random.nextBoolean()));
    }

    private static Map<String, Object> generate(Random random) {
        boolean snake = random.nextBoolean();
        var parts =
                list(
                        object("text", text(random)),
                        object(
                                snake ? "inline_data" : "inlineData",
                                object(
                                        snake ? "mime_type" : "mimeType",
                                        "image/png",
                                        "data",
                                        "AA")),
                        object(
                                snake ? "function_response" : "functionResponse",
                                object("name", "f", "response", object("url", text(random)))));
        return object(
                "contents",
                list(object("role", "user", "parts", parts)),
                "tools",
                list(
                        object(
                                snake ? "function_declarations" : "functionDeclarations",
                                list(object("name", "f", "parameters", object("a", 1))))));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> first(Map<String, Object> object, String list) {
        return (Map<String, Object>) ((List<Object>) object.get(list)).getFirst();
    }

    @SuppressWarnings("unchecked")
    private static void add(Map<String, Object> object, String list, Object element) {
        ((List<Object>) object.get(list)).add(element);
    }

    private static Object withForbiddenChatPart(Map<String, Object> request, Random random) {
        var url = "https://evil.example/" + random.nextInt();
        var message = first(request, "messages");
        switch (random.nextInt(7)) {
            case 0 -> request.put("store", true);
            case 1 -> request.put("new_field", deep(url, random));
            case 2 -> message.put("new_field", deep(url, random));
            case 3 ->
                    add(
                            message,
                            "content",
                            object("type", "image_url", "image_url", object("url", url)));
            case 4 ->
                    add(message, "content", object("type", "file", "file", object("file_id", "f")));
            case 5 -> add(request, "tools", object("type", "web_search"));
            default -> request.put("model", "vendor/model:online");
        }
        return request;
    }

    private static Object withForbiddenGooglePart(Map<String, Object> request, Random random) {
        var url = "https://evil.example/" + random.nextInt();
        var content = first(request, "contents");
        switch (random.nextInt(7)) {
            case 0 -> request.put("cachedContent", "cachedContents/1");
            case 1 -> request.put("cached_content", "cachedContents/1");
            case 2 -> request.put("new_field", deep(url, random));
            case 3 -> add(content, "parts", object("fileData", object("fileUri", url)));
            case 4 -> add(content, "parts", object("file_data", object("file_uri", url)));
            case 5 -> add(request, "tools", object("google_search", object()));
            default -> first(request, "tools").put("urlContext", object());
        }
        return request;
    }

    /** Adds one forbidden part to the request, at a random place outside free content. */
    @SuppressWarnings("unchecked")
    private static Object withForbiddenPart(
            Map<String, Object> request, Random random, boolean anthropic) {
        var url = "https://evil.example/" + random.nextInt();
        var lists = anthropic ? "messages" : "input";
        var first = (Map<String, Object>) ((List<Object>) request.get(lists)).getFirst();
        var content = (List<Object>) first.get("content");
        var tools = (List<Object>) request.get("tools");
        switch (random.nextInt(8)) {
            case 0 -> request.put("mcp_servers", list(object("type", "url", "url", url)));
            case 1 -> request.put("new_field", deep(url, random));
            case 2 -> first.put("new_field", deep(url, random));
            case 3 ->
                    content.add(
                            object("type", "image", "source", object("type", "url", "url", url)));
            case 4 -> content.add(object("type", "input_image", "image_url", url));
            case 5 ->
                    tools.add(
                            object("type", anthropic ? "web_fetch_20250910" : "mcp", "name", "x"));
            case 6 -> ((Map<String, Object>) tools.getFirst()).put("server_url", url);
            default ->
                    ((Map<String, Object>) content.getFirst())
                            .put("file_id", "file-" + random.nextInt());
        }
        return request;
    }

    private static Object deep(String url, Random random) {
        Object value = url;
        for (int i = random.nextInt(20); i > 0; i--) {
            value = random.nextBoolean() ? list(value) : object("a" + i, value);
        }
        return value;
    }
}
