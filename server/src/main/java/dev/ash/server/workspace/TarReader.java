package dev.ash.server.workspace;

import dev.ash.protocol.ApiException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads tar archives as written by GNU tar, bsdtar and Python: files, directories and symbolic
 * links, with GNU and POSIX long names. Rejects all other entries instead of skipping them, so that
 * no part of an archive is lost silently.
 */
final class TarReader {
    private static final int BLOCK = TarWriter.BLOCK;
    private static final int MAX_HEADER_BYTES = 64 * 1024;

    private final InputStream in;
    private BoundedInputStream content = new BoundedInputStream(InputStream.nullInputStream(), 0);
    private long padding;

    TarReader(InputStream in) {
        this.in = in;
    }

    /** Advances to the next entry; returns null at the end of the archive. */
    @Nullable TarEntry next() throws IOException {
        Map<String, String> extended = new HashMap<>();
        while (true) {
            content.transferTo(OutputStream.nullOutputStream());
            if (content.remaining() > 0) {
                throw new EOFException();
            }
            in.skipNBytes(padding);
            padding = 0;
            var block = in.readNBytes(BLOCK);
            if (block.length == 0 || isEmpty(block)) {
                return null;
            }
            if (block.length < BLOCK || !hasValidChecksum(block)) {
                throw invalid("a header is corrupt");
            }
            long size = number(block, 124, 12);
            char type = (char) block[156];
            switch (type) {
                case 'x' -> extended.putAll(records(header(size)));
                case 'g' -> header(size); // global defaults, which are not used here
                case 'L' -> extended.put("path", untilNul(header(size)));
                case 'K' -> extended.put("linkpath", untilNul(header(size)));
                default -> {
                    return entry(block, type, size, extended);
                }
            }
        }
    }

    /** Returns the content of the current file entry. */
    InputStream content() {
        return content;
    }

    private TarEntry entry(byte[] block, char type, long shortSize, Map<String, String> extended)
            throws IOException {
        var name = extended.getOrDefault("path", plainName(block));
        var target = extended.getOrDefault("linkpath", field(block, 157, 100));
        var kind = kind(type, name);
        var longSize = extended.get("size");
        long size = longSize == null ? shortSize : number(longSize);
        if (kind == TarEntry.Kind.FILE) {
            content = new BoundedInputStream(in, size);
            padding = TarWriter.padding(size);
        }
        boolean executable = (number(block, 100, 8) & 0100) != 0;
        return new TarEntry(kind, name, kind == TarEntry.Kind.FILE ? size : 0, executable, target);
    }

    private static TarEntry.Kind kind(char type, String name) {
        return switch (type) {
            // Before 1988 there was no type for directories, only a slash at the end of the name.
            case '0', '\0', '7' ->
                    name.endsWith("/") ? TarEntry.Kind.DIRECTORY : TarEntry.Kind.FILE;
            case '5' -> TarEntry.Kind.DIRECTORY;
            case '2' -> TarEntry.Kind.LINK;
            case '1' -> throw invalid("\"" + name + "\" is a hard link, which is not supported");
            case '3', '4', '6' ->
                    throw invalid("\"" + name + "\" is a device or FIFO, which is not supported");
            default -> throw invalid("\"" + name + "\" has the unknown type " + (int) type);
        };
    }

    private static String plainName(byte[] block) {
        var name = field(block, 0, 100);
        var prefix = field(block, 257, 6).equals("ustar") ? field(block, 345, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private byte[] header(long size) throws IOException {
        if (size > MAX_HEADER_BYTES) {
            throw invalid("a name or header is longer than " + MAX_HEADER_BYTES + " bytes");
        }
        var bytes = in.readNBytes((int) size);
        if (bytes.length < size) {
            throw new EOFException();
        }
        in.skipNBytes(TarWriter.padding(size));
        return bytes;
    }

    /** Parses records of decimal length, space, {@code key=value} and newline. */
    private static Map<String, String> records(byte[] bytes) {
        var records = new HashMap<String, String>();
        int at = 0;
        while (at < bytes.length) {
            int space = at;
            while (space < bytes.length && bytes[space] != ' ') {
                space++;
            }
            long length = number(text(bytes, at, space));
            if (length <= space - at || at + length > bytes.length) {
                throw invalid("an extended header is corrupt");
            }
            int end = (int) (at + length);
            var pair = text(bytes, space + 1, end - 1).split("=", 2);
            if (pair.length == 2) {
                if (pair[0].startsWith("GNU.sparse")) {
                    throw invalid("it contains sparse files, which are not supported");
                }
                records.put(pair[0], pair[1]);
            }
            at = end;
        }
        return records;
    }

    private static String untilNul(byte[] bytes) {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return text(bytes, 0, end);
    }

    private static String field(byte[] block, int offset, int length) {
        int end = offset;
        while (end < offset + length && block[end] != 0) {
            end++;
        }
        return text(block, offset, end);
    }

    private static String text(byte[] bytes, int from, int to) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, from, to - from))
                    .toString();
        } catch (CharacterCodingException _) {
            throw invalid("a name is not valid UTF-8");
        }
    }

    /** Parses octal digits. GNU tar's binary format is for sizes beyond the limits here. */
    private static long number(byte[] block, int offset, int length) {
        var digits =
                new String(block, offset, length, StandardCharsets.ISO_8859_1)
                        .replace('\0', ' ')
                        .strip();
        try {
            return digits.isEmpty() ? 0 : requireNotNegative(Long.parseLong(digits, 8));
        } catch (NumberFormatException _) {
            throw invalid("a number in a header is corrupt");
        }
    }

    private static long number(String decimal) {
        try {
            return requireNotNegative(Long.parseLong(decimal));
        } catch (NumberFormatException _) {
            throw invalid("a number in an extended header is corrupt");
        }
    }

    private static long requireNotNegative(long number) {
        if (number < 0) {
            throw invalid("a size is negative");
        }
        return number;
    }

    private static boolean isEmpty(byte[] block) {
        for (var b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasValidChecksum(byte[] block) {
        int sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? ' ' : block[i] & 0xFF;
        }
        return number(block, 148, 8) == sum;
    }

    private static ApiException invalid(String reason) {
        return ApiException.invalid(
                "bundle", "must be a tar.gz of files and directories: " + reason);
    }
}
