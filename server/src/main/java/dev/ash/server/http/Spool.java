package dev.ash.server.http;

import dev.ash.server.memory.ByteBudget;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores long strings of a request body outside the heap, in a deleted file that the kernel frees
 * when it is closed or the server exits. Short content stays in memory. Not thread-safe.
 */
public final class Spool implements AutoCloseable {
    private static final int IN_MEMORY = 64 * 1024;
    private static volatile @Nullable Path directory;

    private final String prefix = "spooled-" + UUID.randomUUID() + "-";
    private final List<Long> ends = new ArrayList<>();
    private byte[] buffer = new byte[4 * 1024];
    private int buffered;
    private long written; // to the file
    private @Nullable FileChannel file;
    private ByteBudget.@Nullable Lease lease;

    /** Sets the directory of the files; the default is the directory for temporary files. */
    public static void useDirectory(Path path) throws IOException {
        Files.createDirectories(path);
        directory = path;
    }

    /** Holds a lease of a budget until the spool is closed. */
    void hold(ByteBudget.Lease budgetLease) {
        lease = budgetLease;
    }

    void write(byte b) throws SpoolException {
        ensureSpace();
        buffer[buffered++] = b;
    }

    void write(byte[] bytes, int offset, int length) throws SpoolException {
        for (int done = 0; done < length; ) {
            ensureSpace();
            int count = Math.min(length - done, buffer.length - buffered);
            System.arraycopy(bytes, offset + done, buffer, buffered, count);
            buffered += count;
            done += count;
        }
    }

    private void ensureSpace() throws SpoolException {
        if (buffered == buffer.length) {
            if (buffered < IN_MEMORY) {
                buffer = Arrays.copyOf(buffer, 2 * buffered);
            } else {
                flush();
            }
        }
    }

    /** Completes the current string and returns its name for {@link #open}. */
    String endText() {
        ends.add(written + buffered);
        return prefix + (ends.size() - 1);
    }

    /** Call after the last string. */
    void end() throws SpoolException {
        if (file != null) {
            flush();
        }
    }

    private void flush() throws SpoolException {
        try {
            var target = file;
            if (target == null) {
                target = create();
                file = target;
            }
            var bytes = ByteBuffer.wrap(buffer, 0, buffered);
            while (bytes.hasRemaining()) {
                target.write(bytes);
            }
        } catch (IOException e) {
            throw new SpoolException(e);
        }
        written += buffered;
        buffered = 0;
    }

    private static FileChannel create() throws IOException {
        var target = directory;
        var path =
                target == null
                        ? Files.createTempFile("ash-upload", "")
                        : Files.createTempFile(target, "upload", "");
        var channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Files.delete(path);
        return channel;
    }

    /** Opens the string with this name; other text is returned as its own content. */
    public InputStream open(String text) {
        int index = text.startsWith(prefix) ? index(text.substring(prefix.length())) : -1;
        if (index < 0) {
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        }
        long begin = index == 0 ? 0 : ends.get(index - 1);
        long end = ends.get(index);
        return file == null
                ? new ByteArrayInputStream(buffer, (int) begin, (int) (end - begin))
                : new Section(file, begin, end);
    }

    private int index(String digits) {
        try {
            int index = Integer.parseInt(digits);
            return index >= 0 && index < ends.size() ? index : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** A section of the file, with its own position. */
    private static final class Section extends InputStream {
        private final FileChannel file;
        private final long end;
        private long position;

        private Section(FileChannel file, long begin, long end) {
            this.file = file;
            this.position = begin;
            this.end = end;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (position >= end) {
                return -1;
            }
            int most = (int) Math.min(length, end - position);
            int count = file.read(ByteBuffer.wrap(bytes, offset, most), position);
            position += Math.max(count, 0);
            return count;
        }
    }

    @Override
    public void close() {
        if (lease != null) {
            lease.close();
        }
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            System.getLogger(Spool.class.getName())
                    .log(System.Logger.Level.DEBUG, "Cannot close a spool", e);
        }
    }
}
