package dev.ash.sandbox.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskBallastTest {
    private static final long MB = 1024 * 1024;

    @TempDir Path directory;

    private long size() {
        return directory.resolve("disk-ballast").toFile().length();
    }

    @Test
    void growsWhileSpaceIsFreeAndShrinksInSteps() {
        var reserve = new DiskReserve(directory, 1024 * MB);
        var ballast = DiskBallast.of(reserve);

        ballast.fill(1030 * MB, reserve);
        assertThat(size()).as("reserve has priority").isZero();
        ballast.fill(1033 * MB, reserve);
        assertThat(size()).isEqualTo(8 * MB);
        for (long left = 6; left >= 0; left -= 2) {
            ballast.release();
            assertThat(size()).isEqualTo(left * MB);
        }
        ballast.release();
        assertThat(size()).isZero();
        ballast.fill(2000 * MB, reserve);
        assertThat(size()).isEqualTo(8 * MB);
        assertThat(ballast.fullBelow()).isEqualTo(MB);
    }

    @Test
    void scalesWithReserve() {
        var small = new DiskReserve(directory, 16 * MB);
        DiskBallast.of(small).fill(100 * MB, small);
        assertThat(size()).isEqualTo(2 * MB);

        var none = new DiskReserve(directory.resolve("other"), 0);
        DiskBallast.of(none).fill(100 * MB, none);
        DiskBallast.of(none).release();
        assertThat(directory.resolve("other")).doesNotExist();
        assertThat(DiskBallast.of(none).fullBelow()).isZero();
    }
}
