package dev.ash.server.session.recovery;

import java.util.regex.Pattern;

/**
 * What the model engine does for a prompt, one letter a step: m says something, h hints, w waits a
 * moment, t calls a tool, s calls one with an input that others use too, E dies, b begins a turn of
 * its own afterwards.
 */
record ModelScript(String label, String steps) {
    /** What it says in a turn that nobody asked for. */
    static final ModelScript ENGINES = new ModelScript("engine", "m");

    private static final Pattern IN_PROMPT = Pattern.compile("#([a-z0-9.]+):([a-zA-Z]*)#");

    /** The script in a prompt, whatever else the prompt says. */
    static ModelScript of(String prompt) {
        var match = IN_PROMPT.matcher(prompt);
        if (!match.find()) {
            throw new IllegalArgumentException("no script in " + prompt);
        }
        return new ModelScript(match.group(1), match.group(2));
    }

    String prompt() {
        return "#" + label + ":" + steps + "#";
    }
}
