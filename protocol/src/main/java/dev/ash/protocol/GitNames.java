package dev.ash.protocol;

import java.util.regex.Pattern;

/**
 * Recognizes all names that git treats as {@code .git} on some file system: in any letter case, and
 * with the characters that HFS+ and NTFS ignore. Settings in such a directory make git run
 * programs.
 */
public final class GitNames {
    private static final Pattern IGNORED =
            Pattern.compile("[\\u200c-\\u200f\\u202a-\\u202e\\u206a-\\u206f\\ufeff]|[. ]+$");

    public static boolean isGitDirectory(String name) {
        var plain = IGNORED.matcher(name).replaceAll("");
        return plain.equalsIgnoreCase(".git") || plain.equalsIgnoreCase("git~1");
    }

    /** Returns whether any element of a relative path is such a name. */
    public static boolean isInGitDirectory(String path) {
        for (var name : path.split("/", -1)) {
            if (isGitDirectory(name)) {
                return true;
            }
        }
        return false;
    }

    private GitNames() {}
}
