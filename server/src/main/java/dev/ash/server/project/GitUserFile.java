package dev.ash.server.project;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses {@code user.name} and {@code user.email} of a git configuration file. Ignores all other
 * entries: does not read included files, and does not run configured programs.
 */
final class GitUserFile {
    private static final Pattern SECTION =
            Pattern.compile("\\s*\\[\\s*([A-Za-z0-9.-]+)\\s*(\"(?:[^\"\\\\]|\\\\.)*\")?\\s*](.*)");
    private static final Pattern ENTRY = Pattern.compile("\\s*([A-Za-z][A-Za-z0-9-]*)\\s*=(.*)");
    private static final int MAX_VALUE = 256;

    private @Nullable String name;
    private @Nullable String email;
    private boolean isUserSection;

    private GitUserFile() {}

    static GitUser parse(String text) {
        var file = new GitUserFile();
        text.lines().forEach(file::parseLine);
        return new GitUser(file.name, file.email);
    }

    private void parseLine(String line) {
        var section = SECTION.matcher(line);
        var rest = line;
        if (section.matches()) {
            isUserSection = section.group(1).equalsIgnoreCase("user") && section.group(2) == null;
            rest = section.group(3);
        }
        var entry = ENTRY.matcher(rest);
        if (!isUserSection || !entry.matches()) {
            return;
        }
        var value = value(entry.group(2));
        switch (entry.group(1).toLowerCase(Locale.ROOT)) {
            case "name" -> name = value;
            case "email" -> email = value;
            default -> {}
        }
    }

    /** Removes quotes, escapes and comments; returns null if the value is empty or too long. */
    private static @Nullable String value(String text) {
        var value = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '\\' && i + 1 < text.length()) {
                value.append(text.charAt(++i));
            } else if (!quoted && (c == '#' || c == ';')) {
                break;
            } else {
                value.append(c);
            }
        }
        var plain = value.toString().replaceAll("\\p{Cntrl}", " ").strip();
        return plain.isEmpty() || plain.length() > MAX_VALUE ? null : plain;
    }
}
