package dev.ash.pair.mcp;

/** One thing that a reviewer found. The file is empty and the line 0 where it has no place. */
public record Finding(Severity severity, String file, int line, String title, String detail) {
    /** As it stands in a review for people: {@code - [high] src/A.java:12 title}. */
    String text() {
        var place = file.isEmpty() ? "" : file + (line > 0 ? ":" + line : "") + " ";
        var more = detail.isEmpty() ? "" : "\n  " + detail.replace("\n", "\n  ");
        return "- [" + severity.wire() + "] " + place + title + more;
    }
}
