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
 * How a disagreement is decided, in the shape of the question tool of Claude Code, which every
 * place that shows questions knows.
 */
enum DecisionOption {
    GO_ON(
            Decision.GO_ON,
            "Another round",
            "They go on. Any other text is told to both of them, and does the same."),
    ACCEPT(
            Decision.ACCEPT,
            "Accept",
            "The worker is right: the run is completed, if its proof is green."),
    REJECT(Decision.REJECT, "Reject", "The run ends. What was done stays on its branch.");

    /** The name of the tool. */
    static final String TOOL = "AskUserQuestion";

    /** Of an answer, as of the message that may come with it. */
    private static final int MOST = 10_000;

    private final Decision decision;
    private final String label;
    private final String description;

    DecisionOption(Decision decision, String label, String description) {
        this.decision = decision;
        this.label = label;
        this.description = description;
    }

    /** What the tool would be called with; {@code header} has at most twelve characters. */
    static RawJson input(String header, String question) {
        var json = JsonWriter.object().name("questions").open('[').open('{');
        json.put("question", question).put("header", header).put("multiSelect", false);
        json.name("options").open('[');
        for (var choice : values()) {
            json.open('{').put("label", choice.label).put("description", choice.description);
            json.close('}');
        }
        return json.close(']').close('}').close(']').end();
    }

    /** A decision that was made elsewhere, as an answer to the question. */
    static ApprovalApi.Decide answer(Decision decision, String question, @Nullable String message) {
        var label =
                Arrays.stream(values())
                        .filter(choice -> choice.decision == decision)
                        .map(choice -> choice.label)
                        .collect(Collectors.joining());
        var input = JsonWriter.object().put("answers", Map.of(question, label)).end();
        return new ApprovalApi.Decide("modified", input, message, null);
    }

    /**
     * What was decided; empty if nothing was. A question that was refused is one that the person
     * does not want to decide: the peers go on, and ask again if nothing moves.
     */
    static Optional<Answer> read(Approval approval) {
        var by = Objects.requireNonNullElse(approval.decidedBy(), "");
        var message = Objects.requireNonNullElse(approval.message(), "");
        return switch (approval.status()) {
            case "modified" -> Optional.of(read(said(approval.decidedInput()), message, by));
            case "rejected" -> Optional.of(new Answer(Decision.GO_ON, message, by));
            default -> Optional.empty();
        };
    }

    private static Answer read(String said, String message, String by) {
        return Arrays.stream(values())
                .filter(choice -> choice.isMeantBy(said))
                .findFirst()
                .map(choice -> new Answer(choice.decision, message, by))
                .orElseGet(
                        () ->
                                new Answer(
                                        Decision.GO_ON,
                                        Stream.of(said, message)
                                                .filter(text -> !text.isBlank())
                                                .collect(Collectors.joining("\n")),
                                        by));
    }

    private boolean isMeantBy(String said) {
        return said.equalsIgnoreCase(label) || said.equalsIgnoreCase(name());
    }

    /** The one answer; the server has checked that there is an object for it. */
    private static String said(@Nullable RawJson input) {
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
            // Nothing that can be understood is no word to the peers either.
        }
        return "";
    }

    /** Some give their one answer as a list. */
    private static String text(RawJson value) throws MalformedJsonException {
        var all = value.toString().startsWith("[") ? JsonObject.elements(value) : List.of(value);
        var texts = new ArrayList<String>();
        for (var each : all) {
            texts.add(JsonObject.text(each).orElseGet(each::toString));
        }
        return Excerpt.of(String.join(", ", texts), MOST);
    }
}
