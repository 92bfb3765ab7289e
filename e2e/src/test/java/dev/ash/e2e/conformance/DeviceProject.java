package dev.ash.e2e.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The project of document 004's examples, as a git repository. */
record DeviceProject(Path path) {
    static final String SCREEN = "lib/features/startup/bridge_setup_screen.dart";
    static final String BRANCH = "feature/bridge-startup";

    /** Line 13 is changed by the document's examples. */
    static final String COMMITTED =
            "// comment\n".repeat(9)
                    + "// 10\n// 11\nclass BridgeConnectionValidator {\n"
                    + "  return wsAllowed(url);\n  // ...\n";

    /**
     * Creates the project, two commits ahead of its upstream branch and with a clean working tree.
     */
    static DeviceProject make(Path path) {
        var project = new DeviceProject(path);
        try {
            Files.createDirectories(path.resolve("lib/models"));
            Files.createDirectories(path.resolve(SCREEN).getParent());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        project.git("init", "--quiet", "--initial-branch=" + BRANCH);
        project.git("config", "user.name", "Somebody");
        project.git("config", "user.email", "somebody@example.org");
        project.write("lib/models/user.dart", "class User {}\n");
        project.write("lib/auth.dart", authService());
        project.write(SCREEN, COMMITTED);
        project.git("add", "--all");
        project.git("commit", "--quiet", "--message=first");
        project.git("config", "remote.origin.url", "/nowhere");
        project.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
        project.git("config", "branch." + BRANCH + ".remote", "origin");
        project.git("config", "branch." + BRANCH + ".merge", "refs/heads/" + BRANCH);
        project.git("update-ref", "refs/remotes/origin/" + BRANCH, "HEAD");
        project.git("commit", "--quiet", "--allow-empty", "--message=second");
        project.git("commit", "--quiet", "--allow-empty", "--message=third");
        project.chown();
        return project;
    }

    /** Returns a file of 2048 bytes on 45 lines, as in the document. */
    private static String authService() {
        var head = "class AuthService {\n";
        var tail = "}\n";
        var line = "  // authenticates\n".repeat(42);
        int rest = 2048 - head.length() - tail.length() - line.length() - 1;
        return head + line + "/".repeat(rest) + "\n" + tail;
    }

    /** Changes the owner, because a root server rejects projects of root. */
    private void chown() {
        if ("root".equals(System.getProperty("user.name"))) {
            run(List.of("chown", "-R", "-h", "4711:4712", path.toString()));
        }
    }

    void write(String file, String text) {
        try {
            Files.writeString(path.resolve(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String read(String file) {
        try {
            return Files.readString(path.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean has(String file) {
        return Files.exists(path.resolve(file));
    }

    /** Discards all changes. */
    void reset() {
        git("reset", "--quiet", "--hard");
        git("clean", "--quiet", "-fd");
        chown();
    }

    /** Stages a file as its owner. */
    void stage(String file) {
        git("add", file);
        chown();
    }

    String git(String... words) {
        var command = new ArrayList<>(List.of("git", "-c", "safe.directory=*"));
        command.addAll(List.of(words));
        return run(command);
    }

    private String run(List<String> command) {
        try {
            var builder = new ProcessBuilder(command).directory(path.toFile());
            builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
            var process = builder.redirectErrorStream(true).start();
            var output = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
