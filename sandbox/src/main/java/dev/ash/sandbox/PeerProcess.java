package dev.ash.sandbox;

import dev.ash.sandbox.system.NativeFunction;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Determines the pid of the process that listens at the other end of a Unix socket connection. The
 * kernel records it when the process calls {@code listen}; no process can change it afterwards.
 *
 * <p>Java exposes the user of a peer, but neither its pid nor the descriptor of a channel. So this
 * class marks the channel: it sets the linger time, which has no effect on a Unix socket, to a
 * number that no other channel of this server has at that moment, and finds the descriptor with
 * that linger time.
 */
final class PeerProcess {
    private static final int SOL_SOCKET = 1;
    private static final int SO_LINGER = 13;
    private static final int SO_PEERCRED = 17;
    private static final int LINGER_BYTES = 8; // l_onoff, l_linger
    private static final int CREDENTIALS_BYTES = 12; // pid, uid, gid

    private static final int FIRST_MARK = 1_000;
    private static final int MARKS = 30_000;
    private static final AtomicInteger NEXT_MARK = new AtomicInteger();

    /**
     * Returns the pid; empty if unknown, for example for a process outside the visible pid
     * namespaces.
     */
    static OptionalLong of(SocketChannel channel) throws IOException {
        int mark = FIRST_MARK + Math.floorMod(NEXT_MARK.getAndIncrement(), MARKS);
        channel.setOption(StandardSocketOptions.SO_LINGER, mark);
        try (var arena = Arena.ofConfined();
                var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            var value = new Option(arena);
            for (var entry : descriptors) {
                int descriptor = Integer.parseInt(entry.getFileName().toString());
                if (value.read(descriptor, SO_LINGER, LINGER_BYTES)
                        && value.number(0) != 0
                        && value.number(1) == mark
                        && value.read(descriptor, SO_PEERCRED, CREDENTIALS_BYTES)) {
                    int pid = value.number(0);
                    return pid > 0 ? OptionalLong.of(pid) : OptionalLong.empty();
                }
            }
            return OptionalLong.empty();
        } finally {
            channel.setOption(StandardSocketOptions.SO_LINGER, -1);
        }
    }

    /** Links the native function ahead of the first launch, as that takes tens of milliseconds. */
    static void prepare() {
        var _ = Option.GETSOCKOPT;
    }

    /** Buffers for calls of {@code getsockopt}. */
    private static final class Option {
        private static final NativeFunction GETSOCKOPT = NativeFunction.require("getsockopt");

        private final MemorySegment value;
        private final MemorySegment length;

        Option(Arena arena) {
            value = arena.allocate(CREDENTIALS_BYTES, Integer.BYTES);
            length = arena.allocate(ValueLayout.JAVA_INT);
        }

        /** Reads an option; returns false for a descriptor that is not a socket. */
        boolean read(int descriptor, int name, int bytes) {
            length.set(ValueLayout.JAVA_INT, 0, bytes);
            try {
                GETSOCKOPT.call(descriptor, SOL_SOCKET, name, value.address(), length.address());
                return true;
            } catch (NativeFunction.Failure e) {
                return false;
            }
        }

        int number(int index) {
            return value.getAtIndex(ValueLayout.JAVA_INT, index);
        }
    }

    private PeerProcess() {}
}
