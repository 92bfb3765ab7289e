package dev.ash.server.session.recovery;

import java.util.regex.Pattern;

/**
 * The steps of a fake turn, one letter each: m sends a message, h sends a partial message, w waits
 * briefly, t calls a tool, s calls a tool with an input that is not unique, E fails the engine, b
 * starts a turn of the engine afterwards.
 */
record TurnScript(String label, String steps) {
    /** The script of a turn that the engine starts. */
    static final TurnScript ENGINE_TURN = new TurnScript("engine", "m");

    private static final Pattern IN_PROMPT = Pattern.compile("#([a-z0-9.]+):([a-zA-Z]*)#");

    /** Finds the script in a prompt, which may contain other text. */
    static TurnScript of(String prompt) {
        var match = IN_PROMPT.matcher(prompt);
        if (!match.find()) {
            throw new IllegalArgumentException("no script in " + prompt);
        }
        return new TurnScript(match.group(1), match.group(2));
    }

    String prompt() {
        return "#" + label + ":" + steps + "#";
    }
}
