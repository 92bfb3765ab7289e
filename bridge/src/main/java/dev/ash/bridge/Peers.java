package dev.ash.bridge;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells who connects. The agent's own tools run as the bridge's user and can open its socket too,
 * to approve what only a person may. The kernel names the process at the other end of a connection,
 * and says 0 of one that lives outside the sandbox's process namespace, as servers do.
 *
 * <p>Java does not give out the descriptor of a channel, so all connections that were accepted on
 * the socket are looked at; those before the newest have passed already. (The socket that listens
 * would name its own process.)
 */
final class Peers {
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SO_ACCEPTCONN = 30;
    private static final int AF_UNIX = 1;
    private static final int CREDENTIALS_BYTES = 12; // pid, uid, gid
    private static final int ADDRESS_BYTES = 110; // family, then the path

    private static final MethodHandle GETSOCKOPT =
            function(
                    "getsockopt",
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS);
    private static final MethodHandle GETSOCKNAME =
            function("getsockname", ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS);

    @SuppressWarnings("restricted") // the descriptors are those of the manual pages
    private static MethodHandle function(String name, MemoryLayout... arguments) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    }

    /**
     * Whether a process of this sandbox is behind a connection to the socket bound to this name.
     */
    static boolean anyFromWithin(Path bound) throws IOException {
        try (var arena = Arena.ofConfined();
                var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var entry : descriptors) {
                int descriptor = Integer.parseInt(entry.getFileName().toString());
                if (bound.toString().equals(localName(descriptor, arena))
                        && option(descriptor, SO_ACCEPTCONN, Integer.BYTES, arena) == 0
                        && option(descriptor, SO_PEERCRED, CREDENTIALS_BYTES, arena) > 0) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Empty for what is no Unix socket with a name. */
    private static String localName(int descriptor, Arena arena) throws IOException {
        var address = arena.allocate(ADDRESS_BYTES);
        var length = arena.allocateFrom(ValueLayout.JAVA_INT, ADDRESS_BYTES);
        if (call(GETSOCKNAME, descriptor, address, length) < 0
                || address.get(ValueLayout.JAVA_SHORT, 0) != AF_UNIX
                || length.get(ValueLayout.JAVA_INT, 0) <= Short.BYTES) {
            return "";
        }
        return address.getString(Short.BYTES, StandardCharsets.UTF_8);
    }

    /** The first number of a socket's option: of a peer its process, 0 for one outside. */
    private static int option(int descriptor, int name, int bytes, Arena arena) throws IOException {
        var value = arena.allocate(bytes, Integer.BYTES);
        var length = arena.allocateFrom(ValueLayout.JAVA_INT, bytes);
        if (call(GETSOCKOPT, descriptor, SOL_SOCKET, name, value, length) < 0) {
            throw new IOException("the kernel does not tell who connects");
        }
        return value.get(ValueLayout.JAVA_INT, 0);
    }

    private static int call(MethodHandle function, Object... arguments) throws IOException {
        try {
            return (int) function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IOException("the kernel was not asked who connects", e);
        }
    }

    private Peers() {}
}
