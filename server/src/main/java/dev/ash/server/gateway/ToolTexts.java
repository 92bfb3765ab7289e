package dev.ash.server.gateway;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Describes tool calls and their results for users, based on common names of arguments. */
final class ToolTexts {
    private static final int MAX_SUMMARY = 120;
    private static final int MAX_DESCRIPTION = 1000;
    private static final List<String> FILES = List.of("file_path", "path", "notebook_path");
    private static final List<String> SUBJECTS =
            List.of("command", "file_path", "path", "pattern", "url", "query", "prompt");

    static String describe(String tool, RawJson input) {
        var description = first(input, List.of("description"));
        if (!description.isEmpty()) {
            return shorten(description);
        }
        return summarizeCall(tool, input);
    }

    /** Returns the text of a question or plan, or the description of a tool call. */
    static String describeApproval(JsonObject approval) throws MalformedJsonException {
        var input = approval.raw("input").orElse(RawJson.EMPTY_OBJECT);
        var text =
                switch (approval.string("kind").orElse("tool")) {
                    case "question" -> questions(input);
                    case "plan" -> first(input, List.of("plan")).strip();
                    default -> "";
                };
        if (!text.isEmpty()) {
            return Excerpt.of(text, MAX_DESCRIPTION);
        }
        var tool = approval.string("tool").orElse("");
        return approval.string("description").orElse(describe(tool, input));
    }

    /** Returns the texts of all questions of one call; empty for an unexpected format. */
    private static String questions(RawJson input) {
        var texts = new ArrayList<String>();
        try {
            var questions = JsonObject.parse(input).raw("questions").orElse(RawJson.of("[]"));
            for (var element : JsonObject.elements(questions)) {
                first(element, List.of("question")).strip().lines().forEach(texts::add);
            }
        } catch (MalformedJsonException e) {
            return "";
        }
        return String.join("\n", texts);
    }

    /** Returns the tool and its main argument, such as the command or the file. */
    static String summarizeCall(String tool, RawJson input) {
        var subject = first(input, SUBJECTS);
        return subject.isEmpty() ? tool : tool + ": " + shorten(subject);
    }

    static Risk risk(String tool, RawJson input) {
        return Risk.of(tool, first(input, List.of("command")), first(input, FILES));
    }

    /** Returns the first of these fields that is a string; empty if there is none. */
    private static String first(RawJson input, List<String> names) {
        try {
            var json = JsonObject.parse(input);
            for (var name : names) {
                var text = json.raw(name);
                if (text.isPresent() && text.get().toString().startsWith("\"")) {
                    return json.requireString(name);
                }
            }
        } catch (MalformedJsonException e) {
            return "";
        }
        return "";
    }

    static String shorten(String text) {
        var line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= MAX_SUMMARY ? line : line.substring(0, MAX_SUMMARY - 1) + "…";
    }

    /** Returns {@code success}, {@code content}, and the {@code diff} of an edited file. */
    static RawJson result(JsonObject message, JsonObject block) throws MalformedJsonException {
        boolean failed = block.isTrue("is_error");
        var content = content(block.raw("content").orElse(RawJson.string("")));
        return JsonWriter.object()
                .put("success", !failed)
                .put("content", content)
                .put("error", failed ? content : null)
                .put("diff", diff(message.raw("tool_use_result").orElse(RawJson.NULL)))
                .end();
    }

    private static String content(RawJson content) throws MalformedJsonException {
        var text = JsonObject.text(content);
        if (text.isPresent()) {
            return text.get();
        }
        var all = new StringBuilder();
        for (var element : JsonObject.elements(content)) {
            all.append(JsonObject.parse(element).string("text").orElse(""));
        }
        return all.toString();
    }

    /** Returns the diff in the result of a tool that edits a file; null for others. */
    static @Nullable String diff(RawJson result) throws MalformedJsonException {
        if (result.byteAt(0) != '{') {
            return null;
        }
        var edited = JsonObject.parse(result);
        var patch = edited.raw("structuredPatch");
        if (patch.isEmpty() || patch.get().toString().equals("[]")) {
            return null;
        }
        var file = edited.string("filePath").orElse("file");
        var text = new StringBuilder("--- " + file + "\n+++ " + file + "\n");
        for (var element : JsonObject.elements(patch.get())) {
            var hunk = JsonObject.parse(element);
            text.append(
                    "@@ -%d,%d +%d,%d @@\n"
                            .formatted(
                                    hunk.number("oldStart").orElse(0),
                                    hunk.number("oldLines").orElse(0),
                                    hunk.number("newStart").orElse(0),
                                    hunk.number("newLines").orElse(0)));
            hunk.strings("lines").forEach(line -> text.append(line).append('\n'));
        }
        return text.toString();
    }

    private ToolTexts() {}
}
