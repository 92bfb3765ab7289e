package dev.ash.server.project;

import dev.ash.protocol.ApiException;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.OnBehalf;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The name and address that the owner of a project has set for all of his or her repositories. The
 * files are read with no other rights than the owner has, and git is not run for it.
 */
record GitUsers(Homes homes) {
    private static final int MAX_BYTES = 256 * 1024;

    /** Later ones count more, as for git. */
    private static final List<String> FILES = List.of(".config/git/config", ".gitconfig");

    Optional<GitUser> of(Project project) {
        var owner = project.owner();
        var home =
                owner.isPresent()
                        ? homes.ofUser(owner.get().uid())
                        : homes.ofServer().stream().findFirst();
        if (home.isEmpty()) {
            return Optional.empty();
        }
        try {
            var user =
                    owner.isPresent()
                            ? OnBehalf.of(
                                    owner.get().uid(), owner.get().gid(), () -> read(home.get()))
                            : read(home.get());
            return Optional.of(user).filter(found -> !found.equals(GitUser.NONE));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (Exception e) { // whatever it is, a commit has a name without it
            return Optional.empty();
        }
    }

    private static GitUser read(Path home) {
        var files = new FileTree(home, OptionalInt.empty());
        var user = GitUser.NONE;
        for (var file : FILES) {
            user = user(files, file).or(user);
        }
        return user;
    }

    /** Does not follow links: the owner could exchange the file for a pipe that never ends. */
    private static GitUser user(FileTree files, String file) {
        try {
            var bytes = files.read(file, MAX_BYTES);
            return GitUserFile.parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (ApiException e) {
            return GitUser.NONE; // missing, too large, a link or not a regular file
        }
    }
}
