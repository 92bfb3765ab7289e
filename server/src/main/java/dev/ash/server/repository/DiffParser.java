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
 * Parses the output of {@code git diff --raw --numstat -p}: the paths of all files, then the counts
 * of all files, then the hunks of all files, in the same order. Hunk headers state the number of
 * lines, so neither the content nor the name of a file can be mistaken for a header.
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
        /**
         * A change of type, such as file to link, has a section for the removal and the addition.
         */
        private int sectionCount() {
            return letter == 'T' ? 2 : 1;
        }

        /** An additional entry; another one has the changes of the file. */
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
                for (int n = 0; n < raw.sectionCount(); n++) {
                    if (sections.isEmpty()) {
                        throw malformed();
                    }
                    hunks.addAll(sections.remove());
                }
                files.add(file(raw, counts.get(i), hunks));
            }
        }
        if (!sections.isEmpty()) {
            throw malformed();
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
            throw malformed();
        }
        var words = fields[0].split(" ", -1);
        var path = QuotedPath.unquote(fields[1]);
        return new Raw(
                words[words.length - 1].charAt(0),
                path,
                fields.length == 3 ? QuotedPath.unquote(fields[2]) : path);
    }

    private static Counts counts(String line) {
        var fields = line.split("\t", 3);
        if (fields.length != 3) {
            throw malformed();
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
            throw malformed();
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
                case '\\' -> {} // "No newline at end of file"
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
            throw malformed();
        }
        return lines[at++];
    }

    private static GitFailedException malformed() {
        return new GitFailedException(
                "The output of git diff cannot be parsed; files may have changed concurrently, so"
                        + " try again");
    }
}
