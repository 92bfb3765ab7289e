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

/** Images on real loop devices. */
class ImageDisksTest {
    private static final long MB = 1024 * 1024;

    @TempDir Path temp;
    private final Spawner spawner = new Spawner();
    private Path mountRoot;
    private Path mountPoint;
    private ImageDisks disks;

    @BeforeEach
    void open() throws IOException {
        mountRoot = Files.createDirectory(temp.toRealPath().resolve("sandboxes"));
        mountPoint = mountRoot.resolve("one");
        disks = open(Mode.AUTO);
        if (!disks.isUsedForNew() && "true".equals(System.getenv("CI"))) {
            Assertions.fail(
                    "this test needs root and loop devices, and CI=true forbids skipping it");
        }
        Assumptions.assumeTrue(disks.isUsedForNew(), "skipped: it needs root and loop devices");
    }

    private ImageDisks open(Mode mode) throws IOException {
        return ImageDisks.open(mode, temp.toRealPath().resolve("disks"), mountRoot, spawner, "");
    }

    @AfterEach
    void close() throws IOException {
        disks.close();
        spawner.close();
        assertThat(MountTable.in(mountRoot)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 63, 64, 100, 512, 1024, 100_000})
    void providesExactlyTheLimit(int diskMb) throws IOException {
        disks.create(mountPoint, diskMb);

        var space = DiskSpace.of(mountPoint);

        assertThat(space.availableBytes()).isBetween(diskMb * MB * 95 / 100, diskMb * MB);
        assertThat(space.freeFiles()).isGreaterThan(diskMb * 200L);
        assertThat(space.isFull()).isFalse();
        assertThat(ImageSize.limitOf(ImageSize.of(diskMb).bytes())).isEqualTo(diskMb);
    }

    @Test
    void mountsImageOnceAndKeepsFiles() throws IOException {
        disks.create(mountPoint, 16);
        Files.writeString(mountPoint.resolve("note"), "kept");
        disks.mountTemporarily(mountPoint);
        disks.retain(mountPoint);

        assertThat(MountTable.in(mountRoot)).containsExactly(mountPoint);
        disks.close();
        assertThat(mountPoint).isEmptyDirectory();

        disks = open(Mode.WATCH); // creates no images, but mounts existing ones
        disks.mountTemporarily(mountPoint);
        assertThat(mountPoint.resolve("note")).hasContent("kept");
        assertThat(MountTable.in(mountRoot)).containsExactly(mountPoint);
    }

    @Test
    void adoptsMountOfEarlierServer() throws IOException {
        disks.create(mountPoint, 16);
        Files.writeString(mountPoint.resolve("note"), "kept");
        try (var next = open(Mode.AUTO)) {
            next.retain(mountPoint);
            assertThat(mountPoint.resolve("note")).hasContent("kept");
            assertThat(MountTable.in(mountRoot)).containsExactly(mountPoint);
        }
        assertThat(mountPoint).isEmptyDirectory();
    }

    @Test
    void unmountsDeletedImage() throws IOException {
        disks.create(mountPoint, 16);
        Files.delete(temp.resolve("disks/one.img"));

        open(Mode.AUTO).close();

        assertThat(MountTable.in(mountRoot)).isEmpty();
    }

    @Test
    void deletesImageWithOpenFile() throws IOException {
        disks.create(mountPoint, 16);
        try (var _ = Files.newOutputStream(mountPoint.resolve("open"))) {
            disks.delete(mountPoint);
        }

        assertThat(mountPoint).isEmptyDirectory();
        assertThat(disks.hasImage(mountPoint)).isFalse();
        assertThat(MountTable.in(mountRoot)).isEmpty();
    }

    @Test
    void ignoresDirectoryWithoutImage() throws IOException {
        Files.createDirectory(mountPoint);
        Files.writeString(mountPoint.resolve("note"), "plain");

        disks.retain(mountPoint);
        disks.release(mountPoint);
        disks.delete(mountPoint);

        assertThat(mountPoint.resolve("note")).hasContent("plain");
    }

    @Test
    void unmountsAndRemountsIdleImages() throws IOException {
        var running = mountRoot.resolve("running");
        for (var each : List.of(mountPoint, running)) {
            disks.create(each, 16);
            Files.writeString(each.resolve("note"), "kept");
            disks.retain(each);
        }
        disks.release(mountPoint);

        disks.unmountIdle(System.nanoTime() - Duration.ofMinutes(5).toNanos());
        assertThat(MountTable.in(mountRoot)).contains(mountPoint); // used recently
        disks.unmountIdle(System.nanoTime());
        assertThat(MountTable.in(mountRoot)).containsExactly(running);
        assertThat(mountPoint).isEmptyDirectory();

        disks.mountTemporarily(mountPoint);
        assertThat(mountPoint.resolve("note")).hasContent("kept");
        disks.unmountIdle(System.nanoTime());
        assertThat(MountTable.in(mountRoot)).containsExactly(running);
    }

    @Test
    void keepsIdleImageWithOpenFileMounted() throws IOException {
        disks.create(mountPoint, 16);
        disks.mountTemporarily(mountPoint);
        try (var _ = Files.newOutputStream(mountPoint.resolve("open"))) {
            disks.unmountIdle(System.nanoTime());
            assertThat(MountTable.in(mountRoot)).containsExactly(mountPoint);
        }

        disks.unmountIdle(System.nanoTime());

        assertThat(MountTable.in(mountRoot)).isEmpty();
    }

    private Path unmounted() throws IOException {
        disks.create(mountPoint, 16);
        Files.writeString(mountPoint.resolve("note"), "kept");
        disks.mountTemporarily(mountPoint);
        disks.unmountIdle(System.nanoTime());
        assertThat(MountTable.in(mountRoot)).isEmpty();
        return temp.resolve("disks/one.img");
    }

    private static void overwrite(Path image, long offset) throws IOException {
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            file.seek(offset);
            file.write(new byte[1024]);
        }
    }

    @Test
    void repairsDamagedImage() throws IOException {
        var image = unmounted();
        overwrite(image, journal(image));

        disks.retain(mountPoint);

        assertThat(mountPoint.resolve("note")).hasContent("kept");
        Files.writeString(mountPoint.resolve("new"), "written");
        assertThat(MountTable.in(mountRoot)).containsExactly(mountPoint);
    }

    /** Finds the journal by its magic number; the kernel does not mount an image without one. */
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
    void reportsUnrepairableImage() throws IOException {
        var image = unmounted();
        overwrite(image, 1024); // the superblock
        var other = mountRoot.resolve("other");

        assertThatThrownBy(() -> disks.retain(mountPoint))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot mount")
                .hasMessageContaining(image.getFileName().toString());

        assertThat(mountPoint).isEmptyDirectory();
        assertThat(disks.isMounted(mountPoint)).isFalse();
        disks.create(other, 16);
        assertThat(MountTable.in(mountRoot)).containsExactly(other);
        disks.delete(mountPoint);
        assertThat(image).doesNotExist();
    }
}
