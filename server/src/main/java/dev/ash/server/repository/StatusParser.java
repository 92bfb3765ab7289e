package dev.ash.server.repository;

import dev.ash.server.repository.GitStatus.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads {@code git status --porcelain=v2 --branch -z} and, after it, {@code git diff --numstat -z},
 * with renames and without: pieces that end with NUL, so that a path may hold anything else.
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

    /** A new path and an old one, which are the same for most. */
    private record Paths(String path, String before) {}

    private record Named(Paths paths, FileStatus status) {
        private Named(String path, FileStatus status) {
            this(new Paths(path, path), status);
        }
    }

    static GitStatus parse(String status, String withRenames, String plain) {
        var parser = new StatusParser(status);
        var named = parser.status();
        var renamed = new StatusParser(withRenames).counts();
        var counts = new StatusParser(plain).counts();
        var changes = new ArrayList<Change>();
        for (var one : named) {
            var all = one.status == FileStatus.RENAMED ? renamed : counts;
            var count = all.getOrDefault(one.paths, Counts.NONE);
            changes.add(new Change(one.paths.path, one.status, count.additions, count.deletions));
        }
        return new GitStatus(
                parser.shownBranch(),
                parser.ahead,
                parser.behind,
                changes.isEmpty(),
                List.copyOf(changes));
    }

    private String shownBranch() {
        return branch.equals("(detached)")
                ? commit.substring(0, Math.min(SHORT_HASH, commit.length()))
                : branch;
    }

    private List<Named> status() {
        var found = new ArrayList<Named>();
        while (at < pieces.size()) {
            var piece = pieces.get(at++);
            if (piece.isEmpty()) {
                continue;
            }
            switch (piece.charAt(0)) {
                case '#' -> header(piece);
                case '1' -> found.add(new Named(field(piece, 8), ordinary(piece)));
                case '2' -> {
                    var before = at < pieces.size() ? pieces.get(at++) : "";
                    found.add(moved(piece, before));
                }
                case 'u' -> found.add(new Named(field(piece, 10), FileStatus.MODIFIED));
                case '?' -> found.add(new Named(piece.substring(2), FileStatus.UNTRACKED));
                default -> {} // ignored files, which nobody asked for
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

    /** By what the last commit has of it, and what the disk. */
    private static FileStatus ordinary(String piece) {
        char staged = piece.charAt(2);
        char unstaged = piece.charAt(3);
        if (unstaged == 'D' || (staged == 'D' && unstaged == '.')) {
            return FileStatus.DELETED;
        }
        return staged == 'A' || unstaged == 'A' ? FileStatus.ADDED : FileStatus.MODIFIED;
    }

    private static Named moved(String piece, String before) {
        return field(piece, 8).startsWith("C")
                ? new Named(field(piece, 9), FileStatus.ADDED)
                : new Named(new Paths(field(piece, 9), before), FileStatus.RENAMED);
    }

    /** What follows so many spaces. */
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

    /** A binary file has a dash. */
    static int number(String text) {
        return text.equals("-") ? 0 : Integer.parseInt(text);
    }
}
