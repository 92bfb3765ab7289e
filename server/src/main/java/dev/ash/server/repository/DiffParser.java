package dev.ash.server.repository;

import dev.ash.server.repository.FileDiff.Hunk;
import dev.ash.server.repository.FileDiff.Kind;
import dev.ash.server.repository.FileDiff.Line;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code git diff --raw --numstat -p}: for each file a line with its paths, then for each a
 * line with its counts, then for each its hunks. The order ties them together, and the hunks say
 * how long they are, so nothing that stands in a file or in its name is taken for a header.
 */
final class DiffParser {
    private static final Pattern HUNK =
            Pattern.compile("@@ -(\\d+)(?:,(\\d+))? \\+(\\d+)(?:,(\\d+))? @@.*", Pattern.DOTALL);
    private static final String SECTION = "diff --git ";

    private final String[] lines;
    private int at;

    private DiffParser(String output) {
        lines = output.split("\n", -1);
    }

    private record Raw(char letter, String oldPath, String newPath) {
        /** A file that became a link, say, is shown as one that went and one that came. */
        private int sections() {
            return letter == 'T' ? 2 : 1;
        }

        /** Listed besides the entry that has its changes. */
        private boolean isConflict() {
            return letter == 'U';
        }
    }

    private record Counts(boolean binary, int additions, int deletions) {}

    static List<FileDiff> parse(String output) {
        return new DiffParser(output).files();
    }

    private List<FileDiff> files() {
        var raws = new ArrayList<Raw>();
        while (at < lines.length && lines[at].startsWith(":")) {
            raws.add(raw(lines[at++]));
        }
        var counts = new ArrayList<Counts>();
        for (int i = 0; i < raws.size(); i++) {
            counts.add(counts(next()));
        }
        var sections = sections();
        var files = new ArrayList<FileDiff>();
        for (int i = 0; i < raws.size(); i++) {
            var raw = raws.get(i);
            if (!raw.isConflict()) {
                var hunks = new ArrayList<Hunk>();
                for (int n = 0; n < raw.sections(); n++) {
                    if (sections.isEmpty()) {
                        throw unreadable();
                    }
                    hunks.addAll(sections.remove());
                }
                files.add(file(raw, counts.get(i), hunks));
            }
        }
        if (!sections.isEmpty()) {
            throw unreadable();
        }
        return List.copyOf(files);
    }

    private static FileDiff file(Raw raw, Counts counts, List<Hunk> hunks) {
        return new FileDiff(
                raw.newPath,
                raw.oldPath,
                raw.newPath,
                FileStatus.of(raw.letter),
                counts.additions,
                counts.deletions,
                counts.binary,
                List.copyOf(hunks));
    }

    private static Raw raw(String line) {
        var fields = line.split("\t", 3);
        if (fields.length < 2) {
            throw unreadable();
        }
        var words = fields[0].split(" ", -1);
        var path = QuotedPath.read(fields[1]);
        return new Raw(
                words[words.length - 1].charAt(0),
                path,
                fields.length == 3 ? QuotedPath.read(fields[2]) : path);
    }

    private static Counts counts(String line) {
        var fields = line.split("\t", 3);
        if (fields.length != 3) {
            throw unreadable();
        }
        return new Counts(
                fields[0].equals("-"),
                StatusParser.number(fields[0]),
                StatusParser.number(fields[1]));
    }

    private ArrayDeque<List<Hunk>> sections() {
        var sections = new ArrayDeque<List<Hunk>>();
        while (at < lines.length) {
            var line = lines[at++];
            if (line.startsWith(SECTION)) {
                sections.add(new ArrayList<>());
            } else if (line.startsWith("@@ ") && !sections.isEmpty()) {
                sections.getLast().add(hunk(line));
            }
        }
        return sections;
    }

    private Hunk hunk(String header) {
        var match = HUNK.matcher(header);
        if (!match.matches()) {
            throw unreadable();
        }
        int oldLines = count(match.group(2));
        int newLines = count(match.group(4));
        int removed = oldLines;
        int added = newLines;
        var found = new ArrayList<Line>();
        while (removed > 0 || added > 0) {
            var line = next();
            switch (line.isEmpty() ? ' ' : line.charAt(0)) {
                case '-' -> {
                    removed--;
                    found.add(new Line(Kind.REMOVED, line));
                }
                case '+' -> {
                    added--;
                    found.add(new Line(Kind.ADDED, line));
                }
                case '\\' -> {} // that there is no newline at the end
                default -> {
                    removed--;
                    added--;
                    found.add(new Line(Kind.CONTEXT, line));
                }
            }
        }
        return new Hunk(
                header,
                Integer.parseInt(match.group(1)),
                oldLines,
                Integer.parseInt(match.group(3)),
                newLines,
                List.copyOf(found));
    }

    private static int count(@Nullable String number) {
        return number == null ? 1 : Integer.parseInt(number);
    }

    private String next() {
        if (at >= lines.length) {
            throw unreadable();
        }
        return lines[at++];
    }

    private static GitFailedException unreadable() {
        return new GitFailedException(
                "Git described the changes in a way that is not understood; they may have changed at"
                        + " that moment, so try again");
    }
}
