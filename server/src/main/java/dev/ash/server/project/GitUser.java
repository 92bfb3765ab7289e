package dev.ash.server.project;

import org.jspecify.annotations.Nullable;

/** The author name and email address of commits; null where not configured. */
public record GitUser(@Nullable String name, @Nullable String email) {
    static final GitUser NONE = new GitUser(null, null);

    /** Returns this user, with missing values from the other. */
    public GitUser or(GitUser other) {
        return new GitUser(name == null ? other.name : name, email == null ? other.email : email);
    }
}
