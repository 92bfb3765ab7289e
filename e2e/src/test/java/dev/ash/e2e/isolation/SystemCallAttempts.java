package dev.ash.e2e.isolation;

import java.util.List;

/**
 * Attempts to use kernel interfaces that the system call filter denies. Numbers are those of
 * x86-64. Each socket is only created, never bound or connected.
 */
final class SystemCallAttempts {
    private SystemCallAttempts() {}

    /** Calls whose arguments the kernel accepts, so that an unfiltered call succeeds. */
    static List<Attempt> calls() {
        return List.of(
                Attempt.call("fanotify_init", 300, "0x200, 0"),
                Attempt.call("modify_ldt", 154, "0, ctypes.create_string_buffer(16), 16"),
                Attempt.call("personality without ASLR", 135, "0x0040000"),
                Attempt.call("personality READ_IMPLIES_EXEC", 135, "0x0400000"),
                Attempt.call("personality with high bits", 135, "0x100040000"),
                reaches("chroot", 161, "0"),
                reaches("mbind", 237, "1, 1, 0, 0, 0, 0"),
                reaches("set_mempolicy", 238, "-1, 0, 0"),
                reaches("migrate_pages", 256, "-2, 0, 0, 0"),
                reaches("move_pages", 279, "-2, 0, 0, 0, 0, 0"),
                reaches("process_madvise", 440, "-1, 0, 0, 0, 0"),
                reaches("process_mrelease", 448, "-1, 0"),
                reaches("memfd_secret", 447, "0x7f"),
                reaches("statmount", 457, "0, 0, 0, 0"),
                reaches("listmount", 458, "0, 0, 0, 0"),
                reaches("fanotify_mark", 301, "-1, 1, 1, -1, 0"),
                reaches("sethostname", 170, "0, -1"),
                reaches("ioctl TIOCSETD", 16, "-1, 0x5423, 0"),
                Attempt.python(
                        "system call in 32-bit mode",
                        "import ctypes, mmap",
                        "page = mmap.mmap(-1, 4096, prot=7)",
                        "page.write(bytes.fromhex('b814000000cd80c3'))", // getpid by int 0x80
                        "address = ctypes.addressof(ctypes.c_char.from_buffer(page))",
                        "print('ESCAPED', ctypes.CFUNCTYPE(ctypes.c_int)(address)())"));
    }

    static List<Attempt> sockets() {
        return List.of(
                socket("AF_VSOCK", "40, 1, 0"),
                socket("AF_VSOCK with high bits", "0x100000028, 1, 0"),
                socket("AF_VSOCK datagram", "40, 2, 0"),
                socket("AF_ALG", "38, 5, 0"),
                socket("AF_PACKET", "17, 3, 0"),
                socket("AF_PACKET by SOCK_PACKET", "2, 10, 768"),
                socket("AF_BLUETOOTH", "31, 3, 1"),
                socket("AF_CAN", "29, 3, 1"),
                socket("AF_KEY", "15, 3, 2"),
                socket("AF_RDS", "21, 5, 0"),
                socket("AF_TIPC", "30, 5, 0"),
                socket("AF_KCM", "41, 5, 0"),
                socket("AF_QIPCRTR", "42, 2, 0"),
                socket("AF_SMC", "43, 1, 0"),
                socket("AF_XDP", "44, 3, 0"),
                socket("NETLINK_XFRM", "16, 3, 6"),
                socket("NETLINK_AUDIT", "16, 3, 9"),
                socket("NETLINK_NETFILTER", "16, 3, 12"),
                socket("NETLINK_KOBJECT_UEVENT", "16, 3, 15"),
                socket("NETLINK_GENERIC", "16, 3, 16"),
                socket("NETLINK_CRYPTO", "16, 3, 21"),
                socket("NETLINK_SOCK_DIAG", "16, 3, 4"),
                socket("SCTP", "2, 1, 132"),
                socket("DCCP", "2, 6, 33"),
                socket("UDP-Lite", "2, 2, 136"),
                socket("L2TP", "2, 2, 115"),
                socket("MPTCP", "2, 1, 262"),
                socket("SMC over INET", "2, 1, 256"));
    }

    private static Attempt socket(String name, String arguments) {
        return Attempt.call("socket " + name, 41, arguments);
    }

    /** Detects an unfiltered call by any error other than those of the filter. */
    private static Attempt reaches(String name, int number, String arguments) {
        return Attempt.python(
                "system call " + name,
                "import ctypes, errno",
                "libc = ctypes.CDLL(None, use_errno=True)",
                "r = libc.syscall(%d, %s)".formatted(number, arguments),
                "denied = r < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS)",
                "print('refused' if denied else 'ESCAPED: %s' % errno.errorcode.get(ctypes.get_errno()))");
    }
}
