package dev.ash.server.workspace;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** Writes POSIX tar archives, with extended headers for names that are long or not ASCII. */
final class TarWriter {
    static final int BLOCK = 512;

    private final OutputStream out;

    TarWriter(OutputStream out) {
        this.out = out;
    }

    /** Adds a file. Pads content shorter than {@code size} with zeros, as the header is written. */
    void file(String name, long size, boolean executable, Instant modified, InputStream content)
            throws IOException {
        writeHeader(name, "", '0', executable ? 0755 : 0644, size, modified);
        var buffer = new byte[16 * BLOCK];
        long remaining = size;
        while (remaining > 0) {
            int count = content.read(buffer, 0, (int) Math.min(buffer.length, remaining));
            if (count < 0) {
                break;
            }
            out.write(buffer, 0, count);
            remaining -= count;
        }
        writeZeros(remaining + padding(size));
    }

    void directory(String name, Instant modified) throws IOException {
        writeHeader(name + "/", "", '5', 0755, 0, modified);
    }

    void link(String name, String target, Instant modified) throws IOException {
        writeHeader(name, target, '2', 0777, 0, modified);
    }

    /** Writes the end marker: two empty blocks. */
    void end() throws IOException {
        writeZeros(2 * BLOCK);
    }

    static long padding(long size) {
        return (BLOCK - size % BLOCK) % BLOCK;
    }

    private void writeHeader(
            String name, String target, char type, int mode, long size, Instant modified)
            throws IOException {
        var records = extended("path", name) + extended("linkpath", target);
        if (!records.isEmpty()) {
            var bytes = records.getBytes(StandardCharsets.UTF_8);
            out.write(block("extended", "", 'x', 0644, bytes.length, modified));
            out.write(bytes);
            writeZeros(padding(bytes.length));
        }
        out.write(block(plain(name), plain(target), type, mode, size, modified));
    }

    private static String extended(String key, String value) {
        if (value.equals(plain(value))) {
            return "";
        }
        var tail = " " + key + "=" + value + "\n";
        int rest = tail.getBytes(StandardCharsets.UTF_8).length;
        int length = rest + Integer.toString(rest).length();
        length = rest + Integer.toString(length).length(); // the length includes its own digits
        return length + tail;
    }

    /** Returns the text for the fixed-size ASCII field, which an extended header overrides. */
    private static String plain(String text) {
        var plain = new StringBuilder(100);
        for (int i = 0; i < Math.min(text.length(), 100); i++) {
            char c = text.charAt(i);
            plain.append(c >= ' ' && c <= '~' ? c : '_');
        }
        return plain.toString();
    }

    private static byte[] block(
            String name, String target, char type, int mode, long size, Instant modified) {
        var block = new byte[BLOCK];
        put(block, 0, name);
        put(block, 100, octal(7, mode));
        put(block, 108, octal(7, 0));
        put(block, 116, octal(7, 0));
        put(block, 124, octal(11, size));
        put(block, 136, octal(11, Math.max(0, modified.getEpochSecond())));
        put(block, 148, "        "); // the checksum is computed over spaces in its own field
        block[156] = (byte) type;
        put(block, 157, target);
        put(block, 257, "ustar\0" + "00");
        int sum = 0;
        for (var b : block) {
            sum += b & 0xFF;
        }
        put(block, 148, octal(6, sum) + "\0 ");
        return block;
    }

    private static String octal(int digits, long value) {
        var octal = Long.toOctalString(value);
        return "0".repeat(digits - octal.length()) + octal;
    }

    private static void put(byte[] block, int offset, String ascii) {
        var bytes = ascii.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, offset, bytes.length);
    }

    private void writeZeros(long count) throws IOException {
        var zeros = new byte[(int) Math.min(count, 16 * BLOCK)];
        for (long remaining = count; remaining > 0; remaining -= zeros.length) {
            out.write(zeros, 0, (int) Math.min(remaining, zeros.length));
        }
    }
}
