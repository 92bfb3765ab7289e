package dev.ash.server.repository;

import dev.ash.server.repository.GitStatus.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses the output of {@code git status --porcelain=v2 --branch -z} and of {@code git diff
 * --numstat -z}, with and without renames. Fields end with NUL, so paths may contain any other
 * character.
 */
final class StatusParser {
    private static final int SHORT_HASH = 7;

    private final List<String> pieces;
    private int at;
    private String branch = "";
    private String commit = "";
    private int ahead;
    private int behind;

    private StatusParser(String output) {
        pieces = List.of(output.split("\0", -1));
    }

    private record Counts(int additions, int deletions) {
        private static final Counts NONE = new Counts(0, 0);
    }

    /** The new and the old path of a file, which differ only for renames. */
    private record Paths(String path, String oldPath) {}

    private record ChangedFile(Paths paths, FileStatus status) {
        private ChangedFile(String path, FileStatus status) {
            this(new Paths(path, path), status);
        }
    }

    static GitStatus parse(String status, String withRenames, String withoutRenames) {
        var parser = new StatusParser(status);
        var files = parser.status();
        var renamed = new StatusParser(withRenames).counts();
        var counts = new StatusParser(withoutRenames).counts();
        var changes = new ArrayList<Change>();
        for (var file : files) {
            var all = file.status == FileStatus.RENAMED ? renamed : counts;
            var count = all.getOrDefault(file.paths, Counts.NONE);
            changes.add(new Change(file.paths.path, file.status, count.additions, count.deletions));
        }
        return new GitStatus(
                parser.displayedBranch(),
                parser.ahead,
                parser.behind,
                changes.isEmpty(),
                List.copyOf(changes));
    }

    private String displayedBranch() {
        return branch.equals("(detached)")
                ? commit.substring(0, Math.min(SHORT_HASH, commit.length()))
                : branch;
    }

    private List<ChangedFile> status() {
        var found = new ArrayList<ChangedFile>();
        while (at < pieces.size()) {
            var piece = pieces.get(at++);
            if (piece.isEmpty()) {
                continue;
            }
            switch (piece.charAt(0)) {
                case '#' -> header(piece);
                case '1' -> found.add(new ChangedFile(field(piece, 8), ordinary(piece)));
                case '2' -> {
                    var oldPath = at < pieces.size() ? pieces.get(at++) : "";
                    found.add(renamedOrCopied(piece, oldPath));
                }
                case 'u' -> found.add(new ChangedFile(field(piece, 10), FileStatus.MODIFIED));
                case '?' -> found.add(new ChangedFile(piece.substring(2), FileStatus.UNTRACKED));
                default -> {} // ignored files, which are not requested
            }
        }
        return found;
    }

    private void header(String piece) {
        var words = piece.split(" ", -1);
        switch (words[1]) {
            case "branch.oid" -> commit = words[2];
            case "branch.head" -> branch = piece.substring("# branch.head ".length());
            case "branch.ab" -> {
                ahead = Integer.parseInt(words[2].substring(1));
                behind = Integer.parseInt(words[3].substring(1));
            }
            default -> {}
        }
    }

    /** Compares the last commit with the working tree. */
    private static FileStatus ordinary(String piece) {
        char staged = piece.charAt(2);
        char unstaged = piece.charAt(3);
        if (unstaged == 'D' || (staged == 'D' && unstaged == '.')) {
            return FileStatus.DELETED;
        }
        return staged == 'A' || unstaged == 'A' ? FileStatus.ADDED : FileStatus.MODIFIED;
    }

    private static ChangedFile renamedOrCopied(String piece, String oldPath) {
        return field(piece, 8).startsWith("C")
                ? new ChangedFile(field(piece, 9), FileStatus.ADDED)
                : new ChangedFile(new Paths(field(piece, 9), oldPath), FileStatus.RENAMED);
    }

    /** Returns the text after the given number of spaces. */
    private static String field(String piece, int spaces) {
        int end = 0;
        for (int i = 0; i < spaces; i++) {
            end = piece.indexOf(' ', end) + 1;
        }
        return piece.substring(end);
    }

    private Map<Paths, Counts> counts() {
        var found = new HashMap<Paths, Counts>();
        while (at < pieces.size()) {
            var fields = pieces.get(at++).split("\t", 3);
            if (fields.length == 3) {
                var paths = new Paths(fields[2], fields[2]);
                if (fields[2].isEmpty() && at + 1 < pieces.size()) {
                    paths = new Paths(pieces.get(at + 1), pieces.get(at));
                    at += 2;
                }
                found.put(paths, new Counts(number(fields[0]), number(fields[1])));
            }
        }
        return found;
    }

    /** Parses a count, which is a dash for binary files. */
    static int number(String text) {
        return text.equals("-") ? 0 : Integer.parseInt(text);
    }
}
