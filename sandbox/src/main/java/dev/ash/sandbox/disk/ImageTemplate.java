package dev.ash.sandbox.disk;

import dev.ash.sandbox.disk.LinuxMounts.SystemCallException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The content of an empty file system without its holes: less than 1 MB, kept in memory. */
record ImageTemplate(long bytes, List<Part> parts) {
    private static final int MAX_BYTES = 16 * 1024 * 1024;

    record Part(long offset, ByteBuffer content) {}

    static ImageTemplate read(Path image) throws IOException {
        var parts = new ArrayList<Part>();
        long sum = 0;
        try (var channel = FileChannel.open(image, StandardOpenOption.READ);
                var file = LinuxMounts.open(image)) {
            long start = nextData(file, 0);
            while (start >= 0) {
                long end = LinuxMounts.seek(file, start, LinuxMounts.SEEK_HOLE);
                sum += end - start;
                if (sum > MAX_BYTES) {
                    throw new IOException("an empty disk image takes more than 16 MB");
                }
                var content = ByteBuffer.allocate((int) (end - start));
                while (content.hasRemaining()
                        && channel.read(content, start + content.position()) > 0) {}
                parts.add(new Part(start, content.flip().asReadOnlyBuffer()));
                start = nextData(file, end);
            }
            return new ImageTemplate(channel.size(), List.copyOf(parts));
        }
    }

    /** Returns the offset of the next data; negative if there is none. */
    private static long nextData(LinuxMounts.Descriptor file, long from) throws IOException {
        try {
            return LinuxMounts.seek(file, from, LinuxMounts.SEEK_DATA);
        } catch (SystemCallException e) {
            if (e.errno() == LinuxMounts.ENXIO) {
                return -1;
            }
            throw e;
        }
    }

    void write(Path image) throws IOException {
        try (var file = new java.io.RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(bytes);
            for (var part : parts) {
                var content = part.content.duplicate();
                while (content.hasRemaining()) {
                    file.getChannel().write(content, part.offset + content.position());
                }
            }
        }
    }
}
