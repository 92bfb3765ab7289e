package dev.ash.sandbox.seccomp;

import static dev.ash.sandbox.seccomp.Block.ifAnyBit;
import static dev.ash.sandbox.seccomp.Block.ifAnyOf;
import static dev.ash.sandbox.seccomp.Block.ifAtLeast;
import static dev.ash.sandbox.seccomp.Block.ifEqual;
import static dev.ash.sandbox.seccomp.Block.load;
import static dev.ash.sandbox.seccomp.Block.mask;
import static dev.ash.sandbox.seccomp.Block.returning;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Generates the BPF program that the kernel runs before each system call of a sandbox: an allowlist
 * made of {@link SystemCall#ALL}. The program finds the rule by binary search over the numbers. The
 * kernel caches which calls are allowed regardless of their arguments and does not run it for them.
 */
public final class Filter {
    static final int ALLOW = 0x7FFF_0000;
    static final int KILL = 0x8000_0000;
    private static final int ERRNO = 0x0005_0000;
    static final int EPERM = ERRNO | 1;
    static final int ENOSYS = ERRNO | 38;
    static final int EPROTONOSUPPORT = ERRNO | 93;
    static final int EAFNOSUPPORT = ERRNO | 97;

    /** The flags of {@code clone} and {@code unshare} that create a namespace. */
    static final int NEW_NAMESPACES = 0x7E02_0000;

    /** For {@code unshare} only: for {@code clone} this bit is part of a signal number. */
    static final int NEW_TIME_NAMESPACE = 0x80;

    /** The first number of the x32 calls, which reach the same kernel by other numbers. */
    static final int X32 = 0x4000_0000;

    private static final int TIOCSTI = 0x5412;
    private static final int TIOCLINUX = 0x541C;
    private static final int TIOCSETD = 0x5423;

    private static final int QUERY_PERSONALITY = 0xFFFF_FFFF;

    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int AF_NETLINK = 16;
    private static final int NETLINK_ROUTE = 0;

    /** The other bits of a socket's type are flags. */
    private static final int SOCK_TYPE_MASK = 0xF;

    private static final List<Integer> STREAM_AND_DATAGRAM = List.of(1, 2);

    /** The default, TCP, UDP, ICMP and ICMPv6. Other numbers make the kernel load modules. */
    private static final List<Integer> INTERNET_PROTOCOLS = List.of(0, 6, 17, 1, 58);

    // Offsets into struct seccomp_data. Of each 64-bit argument, the kernel uses the low 32 bits of
    // those that are checked here.
    private static final int NUMBER = 0;
    private static final int CONVENTION = 4;
    private static final int FIRST_ARGUMENT = 16;
    private static final int SECOND_ARGUMENT = 24;
    private static final int THIRD_ARGUMENT = 32;

    private static final Block ALLOWED = returning(ALLOW);
    private static final Block DENIED = returning(EPERM);

    private Filter() {}

    /** Returns the program in the format of bubblewrap and the kernel. */
    public static byte[] program(Processor processor) {
        var search = search(List.copyOf(ranges(processor).entrySet()));
        // 32-bit programs number their calls differently.
        return load(
                        CONVENTION,
                        ifEqual(processor.convention, load(NUMBER, search), returning(KILL)))
                .bytes();
    }

    /** Maps the first number of each range to the block for its numbers. */
    private static SortedMap<Integer, Block> ranges(Processor processor) {
        var blocks = new TreeMap<Integer, Block>();
        blocks.put(0, block(Rule.ABSENT));
        for (var call : SystemCall.ALL) {
            call.number(processor).ifPresent(n -> blocks.putIfAbsent(n + 1, block(Rule.ABSENT)));
            call.number(processor).ifPresent(number -> blocks.put(number, block(call.rule())));
        }
        if (processor == Processor.X86_64) {
            blocks.put(X32, DENIED);
        }
        var ranges = new TreeMap<Integer, Block>();
        for (var entry : blocks.entrySet()) {
            var before = ranges.lastEntry();
            if (before == null || !before.getValue().equals(entry.getValue())) {
                ranges.put(entry.getKey(), entry.getValue());
            }
        }
        return ranges;
    }

    private static Block search(List<Map.Entry<Integer, Block>> ranges) {
        if (ranges.size() == 1) {
            return ranges.getFirst().getValue();
        }
        int middle = ranges.size() / 2;
        return ifAtLeast(
                ranges.get(middle).getKey(),
                search(ranges.subList(middle, ranges.size())),
                search(ranges.subList(0, middle)));
    }

    private static Block block(Rule rule) {
        return switch (rule) {
            case ALLOW -> ALLOWED;
            case DENY -> DENIED;
            case ABSENT -> returning(ENOSYS);
            case CLONE_FLAGS -> denyFlags(NEW_NAMESPACES);
            case UNSHARE_FLAGS -> denyFlags(NEW_NAMESPACES | NEW_TIME_NAMESPACE);
            case IOCTL_REQUESTS ->
                    load(
                            SECOND_ARGUMENT,
                            ifAnyOf(List.of(TIOCSTI, TIOCLINUX, TIOCSETD), DENIED, ALLOWED));
            case PERSONALITY_VALUES ->
                    load(FIRST_ARGUMENT, ifAnyOf(List.of(0, QUERY_PERSONALITY), ALLOWED, DENIED));
            case SOCKET_FAMILIES -> socketFamilies();
        };
    }

    private static Block denyFlags(int flags) {
        return load(FIRST_ARGUMENT, ifAnyBit(flags, DENIED, ALLOWED));
    }

    /**
     * Returns the errors of a kernel without the family or the protocol, which libraries handle.
     */
    private static Block socketFamilies() {
        var noProtocol = returning(EPROTONOSUPPORT);
        var protocols = load(THIRD_ARGUMENT, ifAnyOf(INTERNET_PROTOCOLS, ALLOWED, noProtocol));
        // SOCK_RAW needs a capability; SOCK_PACKET selects AF_PACKET whatever the family says.
        var internet =
                load(
                        SECOND_ARGUMENT,
                        mask(SOCK_TYPE_MASK, ifAnyOf(STREAM_AND_DATAGRAM, protocols, DENIED)));
        var netlink = load(THIRD_ARGUMENT, ifEqual(NETLINK_ROUTE, ALLOWED, noProtocol));
        return load(
                FIRST_ARGUMENT,
                ifEqual(
                        AF_UNIX,
                        ALLOWED,
                        ifEqual(
                                AF_NETLINK,
                                netlink,
                                ifAnyOf(
                                        List.of(AF_INET, AF_INET6),
                                        internet,
                                        returning(EAFNOSUPPORT)))));
    }
}
