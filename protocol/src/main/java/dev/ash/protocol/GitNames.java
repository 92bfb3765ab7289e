package dev.ash.protocol;

import java.util.regex.Pattern;

/**
 * Names that git takes for its own folder on some file system: in any letter case, and with what
 * HFS+ and NTFS ignore. Settings in such a folder make git run programs.
 */
public final class GitNames {
    private static final Pattern IGNORED =
            Pattern.compile("[\\u200c-\\u200f\\u202a-\\u202e\\u206a-\\u206f\\ufeff]|[. ]+$");

    public static boolean isGitFolder(String name) {
        var plain = IGNORED.matcher(name).replaceAll("");
        return plain.equalsIgnoreCase(".git") || plain.equalsIgnoreCase("git~1");
    }

    /** Whether any part of a relative path is such a name. */
    public static boolean isInGitFolder(String path) {
        for (var name : path.split("/", -1)) {
            if (isGitFolder(name)) {
                return true;
            }
        }
        return false;
    }

    private GitNames() {}
}
