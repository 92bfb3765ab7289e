package dev.ash.server.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A statement whose parameters, such as {@code :id}, are replaced by {@code ?}.
 *
 * @param parameters the name of each {@code ?}, in order
 */
record ParsedSql(String text, List<String> parameters) {
    /** Statements with lists have a text for each length. */
    private static final int MAX_CACHED = 1_000;

    private static final Map<String, ParsedSql> CACHE = new ConcurrentHashMap<>();

    static ParsedSql of(String sql) {
        var known = CACHE.get(sql);
        if (known != null) {
            return known;
        }
        if (CACHE.size() >= MAX_CACHED) {
            CACHE.clear();
        }
        return CACHE.computeIfAbsent(sql, ParsedSql::parse);
    }

    private static ParsedSql parse(String sql) {
        var text = new StringBuilder();
        var parameters = new ArrayList<String>();
        int copied = 0;
        for (int i = 0; i < sql.length(); i++) {
            int end = endOfText(sql, i);
            if (end > i) {
                i = end - 1; // quoted, or a comment
            } else if (sql.startsWith("::", i)) {
                i++; // a cast
            } else if (sql.charAt(i) == ':' && endOfName(sql, i + 1) > i + 1) {
                end = endOfName(sql, i + 1);
                text.append(sql, copied, i).append('?');
                parameters.add(sql.substring(i + 1, end));
                copied = end;
                i = end - 1;
            }
        }
        return new ParsedSql(text.append(sql.substring(copied)).toString(), parameters);
    }

    /** Returns the end of the quoted text or comment that starts here, or {@code start}. */
    private static int endOfText(String sql, int start) {
        return switch (sql.charAt(start)) {
            case '\'', '"', '`' -> after(sql, sql.substring(start, start + 1), start + 1);
            case '-' -> sql.startsWith("--", start) ? after(sql, "\n", start) : start;
            case '/' -> sql.startsWith("/*", start) ? after(sql, "*/", start + 2) : start;
            default -> start;
        };
    }

    private static int after(String sql, String end, int from) {
        int found = sql.indexOf(end, from);
        return found < 0 ? sql.length() : found + end.length();
    }

    private static int endOfName(String sql, int start) {
        int end = start;
        while (end < sql.length() && Character.isJavaIdentifierPart(sql.charAt(end))) {
            end++;
        }
        return end;
    }
}
