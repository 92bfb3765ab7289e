package dev.ash.e2e.model;

import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Extracts texts from messages, which contain a string or a list of blocks. */
final class PromptText {
    /** Goose adds the time and the working directory to a prompt. */
    private static final Pattern NOTE =
            Pattern.compile("\\s*<info-msg>.*?</info-msg>\\s*", Pattern.DOTALL);

    private static final Pattern DENIAL = Pattern.compile("\\w+ was denied\\b");

    /** Returns the last text block of a user message, ignoring the texts that CLIs add. */
    static String of(JsonNode content) {
        if (content.isString()) {
            return withoutAdditions(content.asString());
        }
        for (int i = content.size() - 1; i >= 0; i--) {
            var block = content.get(i);
            if (block.path("type").asString("").equals("tool_result")
                    || block.has("functionResponse")) {
                return "";
            }
            var text = withoutAdditions(block.path("text").asString(""));
            if (!text.isEmpty()) {
                return text;
            }
        }
        return "";
    }

    private static String withoutAdditions(String text) {
        return isGenerated(text) ? "" : NOTE.matcher(text).replaceAll("");
    }

    /**
     * Returns whether a CLI or the bridge generated this text: reminders, and notes about calls
     * that were resumed or denied.
     */
    private static boolean isGenerated(String text) {
        return text.startsWith("<system-reminder>")
                || text.startsWith("<environment_context>")
                || text.startsWith("<session_context>")
                || text.startsWith("<turn_aborted>")
                || text.startsWith("# AGENTS.md instructions")
                || text.startsWith("About the call of ")
                || text.startsWith("The user wants ")
                || text.startsWith("The user did not approve ")
                || DENIAL.matcher(text).lookingAt()
                || text.equals("Continue from where you left off.");
    }

    /** Returns the text of all blocks. */
    static String all(JsonNode content) {
        if (content.isString()) {
            return content.asString();
        }
        var text = new StringBuilder();
        for (var block : content) {
            var part = block.path("text").asString("");
            if (!part.isEmpty()) {
                text.append(text.isEmpty() ? "" : "\n").append(part);
            }
        }
        return text.toString();
    }

    private PromptText() {}
}
