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
 * Detects connections from processes in the sandbox. The agent's own tools run as the bridge's user
 * and could connect to its socket to approve their own calls. The kernel reports the process id of
 * a peer, which is 0 for a process outside the sandbox's PID namespace, such as a server.
 *
 * <p>Java does not expose the descriptor of a channel, so all accepted connections of the socket
 * are checked; all but the newest have already passed the check. The listening socket is skipped:
 * it would report its own process.
 */
final class PeerCredentials {
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
     * Returns whether any connection to the socket bound to this name is from a process in this
     * sandbox.
     */
    static boolean anyInSandbox(Path bound) throws IOException {
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

    /** Returns the path of a Unix socket; empty for other descriptors. */
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

    /** Returns the first integer of a socket option; for the credentials, the process id. */
    private static int option(int descriptor, int name, int bytes, Arena arena) throws IOException {
        var value = arena.allocate(bytes, Integer.BYTES);
        var length = arena.allocateFrom(ValueLayout.JAVA_INT, bytes);
        if (call(GETSOCKOPT, descriptor, SOL_SOCKET, name, value, length) < 0) {
            throw new IOException("getsockopt failed");
        }
        return value.get(ValueLayout.JAVA_INT, 0);
    }

    private static int call(MethodHandle function, Object... arguments) throws IOException {
        try {
            return (int) function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IOException("cannot read the credentials of a socket", e);
        }
    }

    private PeerCredentials() {}
}
