package dev.ash.server.project;

import dev.ash.protocol.ApiException;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.RunAs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads the commit author that the owner of a project has configured for all repositories. Reads
 * the git configuration files with the permissions of the owner, without running git.
 */
record GitUsers(HomeDirectories homes) {
    private static final int MAX_BYTES = 256 * 1024;

    /** Later files take precedence, as in git. */
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
                            ? RunAs.call(
                                    owner.get().uid(), owner.get().gid(), () -> read(home.get()))
                            : read(home.get());
            return Optional.of(user).filter(found -> !found.equals(GitUser.NONE));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (Exception e) { // best effort: commits have a default author
            return Optional.empty();
        }
    }

    private static GitUser read(Path home) {
        var files = new FileTree(home, OptionalInt.empty());
        var user = GitUser.NONE;
        for (var file : FILES) {
            user = readUser(files, file).or(user);
        }
        return user;
    }

    /** Does not follow links: the owner could replace the file by an endless pipe. */
    private static GitUser readUser(FileTree files, String file) {
        try {
            var bytes = files.read(file, MAX_BYTES);
            return GitUserFile.parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (ApiException e) {
            return GitUser.NONE; // missing, too large, or not a regular file
        }
    }
}
