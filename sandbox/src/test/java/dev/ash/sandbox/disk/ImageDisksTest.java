package dev.ash.sandbox.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.sandbox.disk.DiskSettings.Mode;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.DiskSpace;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real images on real loop devices. */
class ImageDisksTest {
    private static final long MB = 1024 * 1024;

    @TempDir Path temp;
    private final Spawner spawner = new Spawner();
    private Path places;
    private Path place;
    private ImageDisks disks;

    @BeforeEach
    void open() throws IOException {
        places = Files.createDirectory(temp.toRealPath().resolve("sandboxes"));
        place = places.resolve("one");
        disks = open(Mode.AUTO);
        if (!disks.usedForNew() && "true".equals(System.getenv("CI"))) {
            Assertions.fail(
                    "this test needs root and loop devices, and CI=true forbids to skip it");
        }
        Assumptions.assumeTrue(disks.usedForNew(), "skipped, for it needs root and loop devices");
    }

    private ImageDisks open(Mode mode) throws IOException {
        return ImageDisks.open(mode, temp.toRealPath().resolve("disks"), places, spawner, "");
    }

    @AfterEach
    void close() throws IOException {
        disks.close();
        spawner.close();
        assertThat(MountTable.in(places)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 63, 64, 100, 512, 1024, 100_000})
    void usersGetTheirLimitAndNoMore(int diskMb) throws IOException {
        disks.create(place, diskMb);

        var space = DiskSpace.of(place);

        assertThat(space.availableBytes()).isBetween(diskMb * MB * 95 / 100, diskMb * MB);
        assertThat(space.freeFiles()).isGreaterThan(diskMb * 200L);
        assertThat(space.isFull()).isFalse();
        assertThat(ImageSize.limitOf(ImageSize.of(diskMb).bytes())).isEqualTo(diskMb);
    }

    @Test
    void anImageIsMountedOnceAndKeepsItsFiles() throws IOException {
        disks.create(place, 16);
        Files.writeString(place.resolve("note"), "kept");
        disks.use(place);
        disks.hold(place);

        assertThat(MountTable.in(places)).containsExactly(place);
        disks.close();
        assertThat(place).isEmptyDirectory();

        disks = open(Mode.WATCH); // which makes no new ones, and still mounts those there are
        disks.use(place);
        assertThat(place.resolve("note")).hasContent("kept");
        assertThat(MountTable.in(places)).containsExactly(place);
    }

    @Test
    void oneThatWasLeftMountedIsTakenOver() throws IOException {
        disks.create(place, 16);
        Files.writeString(place.resolve("note"), "kept");
        try (var next = open(Mode.AUTO)) {
            next.hold(place);
            assertThat(place.resolve("note")).hasContent("kept");
            assertThat(MountTable.in(places)).containsExactly(place);
        }
        assertThat(place).isEmptyDirectory();
    }

    @Test
    void aMountWhoseImageWasDeletedIsUnmounted() throws IOException {
        disks.create(place, 16);
        Files.delete(temp.resolve("disks/one.img"));

        open(Mode.AUTO).close();

        assertThat(MountTable.in(places)).isEmpty();
    }

    @Test
    void deletingTakesTheImageAndLeavesTheFolderEmptyAlthoughAFileIsOpen() throws IOException {
        disks.create(place, 16);
        try (var _ = Files.newOutputStream(place.resolve("open"))) {
            disks.delete(place);
        }

        assertThat(place).isEmptyDirectory();
        assertThat(disks.hasImage(place)).isFalse();
        assertThat(MountTable.in(places)).isEmpty();
    }

    @Test
    void aFolderWithoutImageIsLeftAlone() throws IOException {
        Files.createDirectory(place);
        Files.writeString(place.resolve("note"), "plain");

        disks.hold(place);
        disks.release(place);
        disks.delete(place);

        assertThat(place.resolve("note")).hasContent("plain");
    }

    @Test
    void unmountsImagesThatAreIdleAndOpensThemAgain() throws IOException {
        var running = places.resolve("running");
        for (var each : List.of(place, running)) {
            disks.create(each, 16);
            Files.writeString(each.resolve("note"), "kept");
            disks.hold(each);
        }
        disks.release(place);

        disks.unmountIdle(System.nanoTime() - Duration.ofMinutes(5).toNanos());
        assertThat(MountTable.in(places)).contains(place); // used a moment ago
        disks.unmountIdle(System.nanoTime());
        assertThat(MountTable.in(places)).containsExactly(running);
        assertThat(place).isEmptyDirectory();

        disks.use(place);
        assertThat(place.resolve("note")).hasContent("kept");
        disks.unmountIdle(System.nanoTime());
        assertThat(MountTable.in(places)).containsExactly(running);
    }

    @Test
    void anIdleImageWithAnOpenFileStaysMountedUntilItIsClosed() throws IOException {
        disks.create(place, 16);
        disks.use(place);
        try (var _ = Files.newOutputStream(place.resolve("open"))) {
            disks.unmountIdle(System.nanoTime());
            assertThat(MountTable.in(places)).containsExactly(place);
        }

        disks.unmountIdle(System.nanoTime());

        assertThat(MountTable.in(places)).isEmpty();
    }

    private Path unmounted() throws IOException {
        disks.create(place, 16);
        Files.writeString(place.resolve("note"), "kept");
        disks.use(place);
        disks.unmountIdle(System.nanoTime());
        assertThat(MountTable.in(places)).isEmpty();
        return temp.resolve("disks/one.img");
    }

    private static void overwrite(Path image, long offset) throws IOException {
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            file.seek(offset);
            file.write(new byte[1024]);
        }
    }

    @Test
    void repairsADamagedImageAndKeepsItsFiles() throws IOException {
        var image = unmounted();
        overwrite(image, journal(image));

        disks.hold(place);

        assertThat(place.resolve("note")).hasContent("kept");
        Files.writeString(place.resolve("new"), "written");
        assertThat(MountTable.in(places)).containsExactly(place);
    }

    /** Where the journal begins, by its magic number; the kernel mounts no image without one. */
    private static long journal(Path image) throws IOException {
        try (var file = new RandomAccessFile(image.toFile(), "r")) {
            for (long offset = 0; offset < file.length(); offset += 1024) {
                file.seek(offset);
                if (file.readLong() == 0xC03B399800000004L) {
                    return offset;
                }
            }
        }
        throw new AssertionError("no journal in " + image);
    }

    @Test
    void reportsAnImageThatCannotBeRepairedAndLeavesOthersAlone() throws IOException {
        var image = unmounted();
        overwrite(image, 1024); // the superblock
        var other = places.resolve("other");

        assertThatThrownBy(() -> disks.hold(place))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("could not be mounted")
                .hasMessageContaining(image.getFileName().toString());

        assertThat(place).isEmptyDirectory();
        assertThat(disks.isMounted(place)).isFalse();
        disks.create(other, 16);
        assertThat(MountTable.in(places)).containsExactly(other);
        disks.delete(place);
        assertThat(image).doesNotExist();
    }
}
