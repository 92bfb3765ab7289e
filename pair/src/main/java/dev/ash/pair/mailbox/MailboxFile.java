package dev.ash.pair.mailbox;

import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads and indexes the file incrementally, up to the last newline. Not thread-safe.
 *
 * <p>Uses {@link RandomAccessFile}, because interrupting a thread closes the channel that it reads
 * from, and waiting readers are interrupted.
 */
final class MailboxFile implements AutoCloseable {
    private static final int CHUNK = 64 * 1024;

    private final Path path;
    private final byte[] chunk = new byte[CHUNK];
    private Index index = new Index();
    private @Nullable RandomAccessFile in;
    private @Nullable Object key;

    /** The offset of the first line that is not in the index. */
    private long end;

    /** The size at the last scan; there is no newline between {@link #end} and this offset. */
    private long scanned;

    MailboxFile(Path path) {
        this.path = path;
    }

    /** Indexes new complete lines and returns the index. */
    Index refresh() throws IOException {
        var now = attributes();
        if (in == null || !Objects.equals(now.fileKey(), key) || now.size() < scanned) {
            reopen(now);
        }
        scan(now.size());
        return index;
    }

    /** Returns the number of bytes after the last newline at the last scan. */
    long tailBytes() {
        return scanned - end;
    }

    long end() {
        return end;
    }

    byte[] bytes(long offset, int length) throws IOException {
        var bytes = new byte[length];
        opened().seek(offset);
        opened().readFully(bytes);
        return bytes;
    }

    Entry entry(long seq) throws IOException {
        return decode(bytes(index.offset(seq), index.length(seq)), seq);
    }

    static Entry decode(byte[] line, long seq) throws MalformedJsonException {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line));
        } catch (CharacterCodingException e) {
            throw new MalformedJsonException("the line is not valid UTF-8");
        }
        return MessageLine.decode(new RawJson(line), seq);
    }

    private BasicFileAttributes attributes() throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            throw new IOException("The mailbox " + path + " was deleted; stop this run", e);
        }
    }

    private void reopen(BasicFileAttributes now) throws IOException {
        close();
        in = new RandomAccessFile(path.toFile(), "r");
        key = now.fileKey();
        index = new Index();
        end = 0;
        scanned = 0;
    }

    private void scan(long size) throws IOException {
        while (scanned < size) {
            opened().seek(scanned);
            int count = opened().read(chunk, 0, (int) Math.min(CHUNK, size - scanned));
            if (count < 0) {
                return; // the file was truncated; the next scan detects it
            }
            for (int i = 0; i < count; i++) {
                if (chunk[i] == '\n') {
                    indexLine(scanned, i);
                }
            }
            scanned += count;
        }
    }

    /** Indexes the line from {@link #end} to a newline in the chunk. */
    private void indexLine(long chunkOffset, int newline) throws IOException {
        long start = end;
        long length = chunkOffset + newline - start;
        end = start + length + 1;
        if (length >= MessageLine.MAX_BYTES) {
            // A message joined to torn bytes at the end of the line is not longer than this.
            int window = MessageLine.MAX_BYTES - 1;
            var reason = "the line has more than " + MessageLine.MAX_BYTES + " bytes";
            indexJoinedMessages(start, end - 1, bytes(end - 1 - window, window), reason);
            return;
        }
        var bytes =
                start >= chunkOffset
                        ? Arrays.copyOfRange(chunk, (int) (start - chunkOffset), newline)
                        : bytes(start, (int) length);
        if (isBlank(bytes)) {
            return;
        }
        try {
            index.add(start, (int) length, decode(bytes, index.count() + 1L));
        } catch (MalformedJsonException e) {
            indexJoinedMessages(start, end - 1, bytes, String.valueOf(e.getMessage()));
        }
    }

    /** Indexes the messages that are joined to torn bytes; {@code bytes} is the end of the line. */
    private void indexJoinedMessages(long start, long lineEnd, byte[] bytes, String reason)
            throws IOException {
        var pieces = JoinedLine.messages(bytes);
        long shift = lineEnd - bytes.length;
        long at = start;
        for (var piece : pieces) {
            long offset = shift + piece.offset();
            int gap = (int) Math.max(0, at - shift);
            if (at < shift || !isBlank(Arrays.copyOfRange(bytes, gap, piece.offset()))) {
                index.skip(new SkippedLine(at, offset - at, "torn bytes before a message"));
            }
            var message = Arrays.copyOfRange(bytes, piece.offset(), piece.end());
            index.add(offset, piece.length(), decode(message, index.count() + 1L));
            at = offset + piece.length();
        }
        if (pieces.isEmpty()) {
            index.skip(new SkippedLine(start, lineEnd - start, reason));
        }
    }

    private static boolean isBlank(byte[] line) {
        for (byte value : line) {
            if (!isBlank(value)) {
                return false;
            }
        }
        return true;
    }

    static boolean isBlank(byte value) {
        return value == ' ' || value == '\r' || value == '\t';
    }

    private RandomAccessFile opened() {
        return Objects.requireNonNull(in, "refresh() must be called first");
    }

    @Override
    public void close() throws IOException {
        if (in != null) {
            in.close();
            in = null;
        }
    }
}
