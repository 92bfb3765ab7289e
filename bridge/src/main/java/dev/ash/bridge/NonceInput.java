package dev.ash.bridge;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the nonce of this launch. The server passes it in a pipe, because every process of the
 * sandbox can read the environment and the arguments of the first one.
 */
final class NonceInput {
    static final String VARIABLE = "ASH_BRIDGE_NONCE_FD";

    private static final int MAX_BYTES = 1024;

    /**
     * Reads the nonce from the descriptor given in the environment, and closes it. Without one,
     * reads the nonce from the environment itself.
     */
    static @Nullable String read(Map<String, String> variables) throws IOException {
        var number = variables.get(VARIABLE);
        if (number == null) {
            return variables.get("ASH_BRIDGE_NONCE");
        }
        int descriptor = descriptor(number);
        var bytes = descriptor == 0 ? standardInput() : Native.read(descriptor);
        var nonce = new String(bytes, StandardCharsets.US_ASCII).strip();
        if (nonce.isEmpty() || bytes.length > MAX_BYTES) {
            throw new IOException(
                    "descriptor %s (%s) must contain the nonce, at most %d bytes, but has %s"
                            .formatted(
                                    number,
                                    VARIABLE,
                                    MAX_BYTES,
                                    nonce.isEmpty() ? "nothing" : "more"));
        }
        return nonce;
    }

    private static int descriptor(String number) {
        try {
            int descriptor = Integer.parseInt(number);
            if (descriptor == 0 || descriptor > 2) {
                return descriptor;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "%s is \"%s\"; it must be the number of a descriptor, 0 or above 2"
                        .formatted(VARIABLE, number));
    }

    /** Java replaces a closed standard input with {@code /dev/null}. */
    private static byte[] standardInput() throws IOException {
        try (InputStream in = System.in) {
            return in.readNBytes(MAX_BYTES + 1);
        }
    }

    /**
     * Reads descriptors that the Java API cannot access. Linking native functions takes tens of
     * milliseconds, so the server passes the nonce to this bridge as descriptor 0.
     */
    private static final class Native {
        private static final MethodHandle READ =
                function(
                        "read",
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG);
        private static final MethodHandle CLOSE =
                function("close", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);

        @SuppressWarnings("restricted") // the signatures are those of the manual pages
        private static MethodHandle function(
                String name, MemoryLayout result, MemoryLayout... arguments) {
            var linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow(name),
                    FunctionDescriptor.of(result, arguments));
        }

        static byte[] read(int descriptor) throws IOException {
            try (var arena = Arena.ofConfined()) {
                var buffer = arena.allocate(MAX_BYTES + 1);
                long total = 0;
                while (total < buffer.byteSize()) {
                    long count =
                            (long)
                                    READ.invokeExact(
                                            descriptor,
                                            buffer.asSlice(total),
                                            buffer.byteSize() - total);
                    if (count < 0) {
                        throw new IOException(
                                "cannot read descriptor %d (%s)".formatted(descriptor, VARIABLE));
                    }
                    if (count == 0) {
                        break;
                    }
                    total += count;
                }
                int _ = (int) CLOSE.invokeExact(descriptor);
                return buffer.asSlice(0, total).toArray(ValueLayout.JAVA_BYTE);
            } catch (IOException e) {
                throw e;
            } catch (Throwable e) {
                throw new IOException("cannot read descriptor " + descriptor, e);
            }
        }
    }

    private NonceInput() {}
}
