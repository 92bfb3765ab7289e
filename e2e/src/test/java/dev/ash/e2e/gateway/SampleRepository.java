package dev.ash.e2e.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A sample git project, owned by a user other than root: two commits ahead of its upstream and one
 * behind, with every kind of change in its working tree.
 */
public record SampleRepository(Path path) {
    static final String QUOTED = "qu\"ote ä.txt";

    public static SampleRepository make(Path path) {
        var made = new SampleRepository(path);
        try {
            Files.createDirectories(path.resolve("src"));
            made.commitTwice();
            made.change();
            if ("root".equals(System.getProperty("user.name"))) {
                run(path, List.of("chown", "-R", "-h", "4711:4712", path.toString()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return made;
    }

    /** Returns the path in the form that devices send. */
    String directory() {
        return path.toString();
    }

    private void commitTwice() throws IOException {
        git("init", "--quiet", "--initial-branch=main");
        git("config", "user.name", "Somebody");
        git("config", "user.email", "somebody@example.org");
        write("notes.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
        write("old name.txt", "this\nfile\nwill\nget\nanother\nname\n");
        write("gone.txt", "soon\n");
        write("src/Main.java", "class Main {\n    int plums = 1;\n}\n");
        write(QUOTED, "quoted\n");
        Files.write(path.resolve("logo.bin"), new byte[] {1, 0, 2, 0, 3});
        git("add", "--all");
        git("commit", "--quiet", "--message=first");
        var theirs = git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "theirs").strip();
        git("commit", "--quiet", "--allow-empty", "--message=second");
        git("commit", "--quiet", "--allow-empty", "--message=third");
        git("config", "remote.origin.url", "/nowhere");
        git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
        git("config", "branch.main.remote", "origin");
        git("config", "branch.main.merge", "refs/heads/main");
        git("update-ref", "refs/remotes/origin/main", theirs);
    }

    private void change() throws IOException {
        write("notes.txt", "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\neight\n");
        write(QUOTED, "quoted\nmore\n");
        Files.write(path.resolve("logo.bin"), new byte[] {9, 0, 9, 0});
        Files.delete(path.resolve("gone.txt"));
        write("untracked.txt", "a\nb\nc\n");
        write("staged.txt", "staged\n");
        git("add", "staged.txt");
        git("mv", "old name.txt", "new name.txt");
        Files.createSymbolicLink(path.resolve("out"), Path.of("/etc/passwd"));
        write(".git/info/exclude", "out\n");
    }

    void write(String name, String text) throws IOException {
        Files.writeString(path.resolve(name), text);
    }

    String read(String name) {
        try {
            return Files.readString(path.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs git on the host as the user of the test. */
    String git(String... words) {
        var command = new ArrayList<>(List.of("git", "-c", "safe.directory=*"));
        command.addAll(List.of(words));
        return run(path, command);
    }

    private static String run(Path directory, List<String> command) {
        try {
            var builder = new ProcessBuilder(command).directory(directory.toFile());
            builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
            var process = builder.redirectErrorStream(true).start();
            var output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
