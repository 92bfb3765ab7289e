package dev.ash.server.approval;

import java.util.List;

/** A decision that nobody waits for any more, as a sentence for the next prompt. */
public record Told(String id, String sentence) {
    /** All of them as one text to put before a prompt; empty for none. */
    public static String text(List<Told> told) {
        var text = new StringBuilder();
        told.forEach(each -> text.append("\n- ").append(each.sentence()));
        return told.isEmpty()
                ? ""
                : "While you were away, these calls that waited for approval were decided:" + text;
    }
}
