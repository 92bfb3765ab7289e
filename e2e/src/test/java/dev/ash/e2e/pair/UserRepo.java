package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A small git repository with one commit, owned by a user other than root. */
public record UserRepo(Path path) {
    public static UserRepo make(Path path) {
        var made = new UserRepo(path);
        try {
            Files.createDirectories(path);
            made.git("init", "--quiet", "--initial-branch=main");
            made.git("config", "user.name", "Somebody");
            made.git("config", "user.email", "somebody@example.org");
            Files.writeString(path.resolve("README.md"), "# Sums\n");
            made.git("add", "--all");
            made.git("commit", "--quiet", "--message=first");
            made.chown();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return made;
    }

    public void chown() {
        if ("root".equals(System.getProperty("user.name"))) {
            run(List.of("chown", "-R", "-h", "4711:4712", path.toString()));
        }
    }

    String head(String name) {
        return git("rev-parse", name).strip();
    }

    List<String> branches() {
        return git("for-each-ref", "--format=%(refname:short)", "refs/heads").lines().toList();
    }

    String show(String commit, String file) {
        return git("show", commit + ":" + file);
    }

    public String git(String... words) {
        var all = new ArrayList<>(List.of("git", "-c", "safe.directory=*"));
        all.addAll(List.of(words));
        return run(all);
    }

    private String run(List<String> command) {
        try {
            var process =
                    new ProcessBuilder(command)
                            .directory(path.toFile())
                            .redirectErrorStream(true)
                            .start();
            var output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
