package dev.ash.server.project;

import dev.ash.server.workspace.OnBehalf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

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
        var user = GitUser.NONE;
        for (var file : FILES) {
            user = user(home.resolve(file)).or(user);
        }
        return user;
    }

    private static GitUser user(Path file) {
        if (!Files.isRegularFile(file)) { // a pipe would never end
            return GitUser.NONE;
        }
        try (var in = Files.newInputStream(file)) {
            var text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
            return GitUserFile.parse(text);
        } catch (IOException e) {
            return GitUser.NONE;
        }
    }
}
