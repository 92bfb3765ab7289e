package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Errors for sandboxes whose files or process cannot be created. */
class LaunchFailureTest {
    @Test
    void reportsFullDiskWithRemedy() {
        var failure = Launcher.failure("It failed", new IOException("No space left on device"));

        assertThat(failure.code()).isEqualTo(ErrorCode.DISK_FULL);
        assertThat(failure.getMessage()).contains("It failed", "full", "Free some space");
    }

    @Test
    void keepsReasonOfOtherFailures() {
        var failure = Launcher.failure("It failed", new IOException("broken pipe"));

        assertThat(failure.code()).isEqualTo(ErrorCode.SANDBOX_FAILED);
        assertThat(failure.getMessage()).contains("It failed", "broken pipe");
    }
}
