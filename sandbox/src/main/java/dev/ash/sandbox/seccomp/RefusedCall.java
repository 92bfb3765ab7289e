package dev.ash.sandbox.seccomp;

/**
 * The system calls that are refused whatever they are asked, with their numbers on x86-64 and on
 * aarch64. A coding agent needs none of them; each is a way to loosen the wall, to look into
 * another process, or to reach code of the kernel that has had many holes.
 */
enum RefusedCall {
    // The wall is made of mounts.
    MOUNT(165, 40),
    UMOUNT2(166, 39),
    PIVOT_ROOT(155, 41),
    OPEN_TREE(428, 428),
    MOVE_MOUNT(429, 429),
    FSOPEN(430, 430),
    FSCONFIG(431, 431),
    FSMOUNT(432, 432),
    FSPICK(433, 433),
    MOUNT_SETATTR(442, 442),
    OPEN_TREE_ATTR(467, 467),
    SETNS(308, 268),
    // Files by their number instead of by a path that leads to them.
    NAME_TO_HANDLE_AT(303, 264),
    OPEN_BY_HANDLE_AT(304, 265),
    // Into other processes. Debuggers do not work, then; the bridge is safe from them.
    PTRACE(101, 117),
    PROCESS_VM_READV(310, 270),
    PROCESS_VM_WRITEV(311, 271),
    PIDFD_GETFD(438, 438),
    KCMP(312, 272),
    // Code that runs in the kernel.
    BPF(321, 280),
    INIT_MODULE(175, 105),
    FINIT_MODULE(313, 273),
    DELETE_MODULE(176, 106),
    KEXEC_LOAD(246, 104),
    KEXEC_FILE_LOAD(320, 294),
    // What attackers of kernels have used most.
    USERFAULTFD(323, 282),
    PERF_EVENT_OPEN(298, 241),
    IO_URING_SETUP(425, 425),
    IO_URING_ENTER(426, 426),
    IO_URING_REGISTER(427, 427),
    // Keys are not kept apart by namespaces.
    ADD_KEY(248, 217),
    REQUEST_KEY(249, 218),
    KEYCTL(250, 219),
    // The machine as a whole.
    REBOOT(169, 142),
    SWAPON(167, 224),
    SWAPOFF(168, 225),
    ACCT(163, 89),
    QUOTACTL(179, 60),
    QUOTACTL_FD(443, 443),
    SETTIMEOFDAY(164, 170),
    CLOCK_SETTIME(227, 112),
    ADJTIMEX(159, 171),
    CLOCK_ADJTIME(305, 266),
    SYSLOG(103, 116),
    VHANGUP(153, 58),
    NFSSERVCTL(180, 42),
    LOOKUP_DCOOKIE(212, 18),
    IOPL(172, RefusedCall.NONE),
    IOPERM(173, RefusedCall.NONE);

    /** Where a processor has no such call. */
    static final int NONE = -1;

    private final int x86;
    private final int arm;

    RefusedCall(int x86, int arm) {
        this.x86 = x86;
        this.arm = arm;
    }

    int number(Processor processor) {
        return switch (processor) {
            case X86_64 -> x86;
            case AARCH64 -> arm;
        };
    }
}
