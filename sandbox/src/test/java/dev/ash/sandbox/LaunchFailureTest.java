package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What is said of a sandbox whose files or process could not be made. */
class LaunchFailureTest {
    @Test
    void aFullDiskIsCalledFullAndSaysWhatToDo() {
        var failure = Launcher.failure("It failed", new IOException("No space left on device"));

        assertThat(failure.code()).isEqualTo(ErrorCode.DISK_FULL);
        assertThat(failure.getMessage()).contains("It failed", "full", "Free some space");
    }

    @Test
    void anyOtherFailureKeepsItsReason() {
        var failure = Launcher.failure("It failed", new IOException("broken pipe"));

        assertThat(failure.code()).isEqualTo(ErrorCode.SANDBOX_FAILED);
        assertThat(failure.getMessage()).contains("It failed", "broken pipe");
    }
}
