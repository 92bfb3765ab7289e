package dev.ash.server.project;

import org.jspecify.annotations.Nullable;

/** Whose name commits carry; what nobody has set is null. */
public record GitUser(@Nullable String name, @Nullable String email) {
    static final GitUser NONE = new GitUser(null, null);

    /** This one, and what it lacks from the other. */
    public GitUser or(GitUser other) {
        return new GitUser(name == null ? other.name : name, email == null ? other.email : email);
    }
}
