package dev.ash.server.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class OnBehalfTest {
    private static final int USER = 4711;

    /** A carrier thread with the rights of a user would run requests of everybody with them. */
    @Test
    void leavesNoThreadWithTheRightsOfTheUser() throws Exception {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        Callable<Set<String>> call = () -> OnBehalf.of(USER, USER, () -> fileUsers("thread-self"));

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(Collections.nCopies(500, call))) {
                assertThat(done.get()).containsExactly(Integer.toString(USER));
            }
        }

        var users = new TreeSet<String>();
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            for (var task : tasks.toList()) {
                users.addAll(fileUsers("self/task/" + task.getFileName()));
            }
        }
        assertThat(users).containsExactly("0");
    }

    /** The user that the kernel checks when a thread opens files: the fourth number. */
    private static Set<String> fileUsers(String thread) throws IOException {
        try {
            for (var line : Files.readAllLines(Path.of("/proc", thread, "status"))) {
                if (line.startsWith("Uid:")) {
                    return Set.of(line.split("\\s+")[4]);
                }
            }
        } catch (NoSuchFileException e) {
            // It has ended meanwhile.
        }
        return Set.of();
    }
}
