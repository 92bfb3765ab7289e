package dev.ash.cli.approval;

import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A question that a model asks the person, with choices or without. */
record UserQuestion(String question, List<Choice> choices, boolean several) {
    /** One of the answers on offer. */
    record Choice(String label, String description) {}

    /** The questions in the input of the tool that asks them; none where it has another shape. */
    static List<UserQuestion> of(RawJson input) {
        var questions = new ArrayList<UserQuestion>();
        try {
            for (var element : elements(JsonObject.parse(input), "questions")) {
                questions.add(read(JsonObject.parse(element)));
            }
        } catch (MalformedJsonException e) {
            return List.of();
        }
        return questions;
    }

    private static UserQuestion read(JsonObject json) throws MalformedJsonException {
        var choices = new ArrayList<Choice>();
        for (var element : elements(json, "options")) {
            var option = JsonObject.parse(element);
            choices.add(
                    new Choice(
                            option.requireString("label"),
                            option.string("description").orElse("")));
        }
        return new UserQuestion(
                json.requireString("question"), choices, json.isTrue("multiSelect"));
    }

    private static List<RawJson> elements(JsonObject json, String name)
            throws MalformedJsonException {
        var array = json.raw(name);
        return array.isPresent() ? JsonObject.elements(array.get()) : List.of();
    }

    /** The question and its numbered choices. */
    List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add(Printable.text(question));
        for (int i = 0; i < choices.size(); i++) {
            var choice = choices.get(i);
            var text = "  " + (i + 1) + "  " + Printable.line(choice.label());
            lines.add(
                    choice.description().isEmpty()
                            ? text
                            : text + "  (" + Printable.line(choice.description()) + ")");
        }
        return lines;
    }

    /** What was typed: the number of a choice, several with commas, or words of one's own. */
    String answer(String typed) {
        var text = typed.strip();
        if (several && text.matches("\\d+(\\s*,\\s*\\d+)+")) {
            return String.join(
                    ", ", List.of(text.split("\\s*,\\s*")).stream().map(this::choice).toList());
        }
        return choice(text);
    }

    private String choice(String text) {
        for (int i = 0; i < choices.size(); i++) {
            if (text.equals(Integer.toString(i + 1))) {
                return choices.get(i).label();
            }
        }
        return text;
    }

    /** The input that answers these questions, in their order. */
    static RawJson answers(List<UserQuestion> questions, List<String> typed) {
        Map<String, String> answers = new LinkedHashMap<>();
        for (int i = 0; i < questions.size(); i++) {
            answers.put(questions.get(i).question(), questions.get(i).answer(typed.get(i)));
        }
        return JsonWriter.object().put("answers", answers).end();
    }
}
