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

/** A question of the model to the user, with or without choices. */
record UserQuestion(String question, List<Choice> choices, boolean multiple) {
    /** A predefined answer. */
    record Choice(String label, String description) {}

    /** Parses the questions in a tool input; empty for other formats. */
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

    /** Returns the question and its numbered choices. */
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

    /** Resolves typed text: the number of a choice, comma-separated numbers, or free text. */
    String answer(String typed) {
        var text = typed.strip();
        if (multiple && text.matches("\\d+(\\s*,\\s*\\d+)+")) {
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

    /** Returns the tool input with the answers to these questions, in order. */
    static RawJson answers(List<UserQuestion> questions, List<String> typed) {
        Map<String, String> answers = new LinkedHashMap<>();
        for (int i = 0; i < questions.size(); i++) {
            answers.put(questions.get(i).question(), questions.get(i).answer(typed.get(i)));
        }
        return JsonWriter.object().put("answers", answers).end();
    }
}
