package dev.ash.server.pair;

import dev.ash.pair.loop.Arbiter.Answer;
import dev.ash.pair.loop.Arbiter.Decision;
import dev.ash.protocol.Excerpt;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options for deciding a disagreement, presented as a question of Claude Code's question tool,
 * which all clients can display.
 */
enum DecisionOption {
    GO_ON(
            Decision.GO_ON,
            "Another round",
            "The peers continue. Any other text is sent to both as a comment and does the same."),
    ACCEPT(
            Decision.ACCEPT,
            "Accept",
            "The worker is right: the run is completed, if its proof succeeds."),
    REJECT(Decision.REJECT, "Reject", "The run ends. Its commits stay on the branch.");

    /** The name of the question tool. */
    static final String TOOL = "AskUserQuestion";

    /** Maximum length of an answer. */
    private static final int MAX_CHARS = 10_000;

    private final Decision decision;
    private final String label;
    private final String description;

    DecisionOption(Decision decision, String label, String description) {
        this.decision = decision;
        this.label = label;
        this.description = description;
    }

    /** Returns the input of the question tool; {@code header} has at most twelve characters. */
    static RawJson toolInput(String header, String question) {
        var json = JsonWriter.object().name("questions").open('[').open('{');
        json.put("question", question).put("header", header).put("multiSelect", false);
        json.name("options").open('[');
        for (var option : values()) {
            json.open('{').put("label", option.label).put("description", option.description);
            json.close('}');
        }
        return json.close(']').close('}').close(']').end();
    }

    /** Converts a decision from the pair API to an answer to the question. */
    static ApprovalApi.Decide answer(Decision decision, String question, @Nullable String message) {
        var label =
                Arrays.stream(values())
                        .filter(option -> option.decision == decision)
                        .map(option -> option.label)
                        .collect(Collectors.joining());
        var input = JsonWriter.object().put("answers", Map.of(question, label)).end();
        return new ApprovalApi.Decide("modified", input, message, null);
    }

    /**
     * Reads the decision of an approval, if there is one. A rejected question counts as GO_ON: the
     * peers continue, and the question is asked again if they make no progress.
     */
    static Optional<Answer> read(Approval approval) {
        var by = Objects.requireNonNullElse(approval.decidedBy(), "");
        var message = Objects.requireNonNullElse(approval.message(), "");
        return switch (approval.status()) {
            case "modified" -> Optional.of(read(answerText(approval.decidedInput()), message, by));
            case "rejected" -> Optional.of(new Answer(Decision.GO_ON, message, by));
            default -> Optional.empty();
        };
    }

    private static Answer read(String answer, String message, String by) {
        return Arrays.stream(values())
                .filter(option -> option.matches(answer))
                .findFirst()
                .map(option -> new Answer(option.decision, message, by))
                .orElseGet(
                        () ->
                                new Answer(
                                        Decision.GO_ON,
                                        Stream.of(answer, message)
                                                .filter(text -> !text.isBlank())
                                                .collect(Collectors.joining("\n")),
                                        by));
    }

    private boolean matches(String answer) {
        return answer.equalsIgnoreCase(label) || answer.equalsIgnoreCase(name());
    }

    /** Returns the only answer; the approval API has checked that there is an answers object. */
    private static String answerText(@Nullable RawJson input) {
        try {
            var answers =
                    JsonObject.parse(Objects.requireNonNullElse(input, RawJson.EMPTY_OBJECT))
                            .object("answers");
            if (answers.isPresent()) {
                for (var name : answers.get().names()) {
                    return text(answers.get().raw(name).orElse(RawJson.NULL)).strip();
                }
            }
        } catch (MalformedJsonException e) {
            // An unreadable answer counts as no comment.
        }
        return "";
    }

    /** Accepts answers that are arrays, as some clients send them. */
    private static String text(RawJson value) throws MalformedJsonException {
        var all = value.toString().startsWith("[") ? JsonObject.elements(value) : List.of(value);
        var texts = new ArrayList<String>();
        for (var each : all) {
            texts.add(JsonObject.text(each).orElseGet(each::toString));
        }
        return Excerpt.of(String.join(", ", texts), MAX_CHARS);
    }
}
