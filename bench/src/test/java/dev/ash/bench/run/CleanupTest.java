package dev.ash.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class CleanupTest {
    private final ArrayList<String> closed = new ArrayList<>();
    private final Cleanup cleanup = new Cleanup();

    @Test
    void closesInReverseOrderAndOnce() {
        var released = cleanup.add(() -> closed.add("released"));
        cleanup.add(() -> closed.add("first"));
        cleanup.add(() -> closed.add("second"));

        cleanup.release(released);
        cleanup.close();
        cleanup.close();
        cleanup.release(released);

        assertThat(closed).containsExactly("released", "second", "first");
    }

    @Test
    void continuesAfterFailure() {
        cleanup.add(() -> closed.add("first"));
        cleanup.add(
                () -> {
                    throw new IllegalStateException("planned failure of a test");
                });

        cleanup.close();

        assertThat(closed).containsExactly("first");
    }

    @Test
    void closesResourcesThatAreAddedDuringTermination() {
        cleanup.close();

        assertThatThrownBy(() -> cleanup.add(() -> closed.add("late")))
                .isInstanceOf(IllegalStateException.class);
        assertThat(closed).containsExactly("late");
    }
}
