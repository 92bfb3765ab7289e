package dev.ash.sandbox.seccomp;

import static dev.ash.sandbox.seccomp.Filter.ALLOW;
import static dev.ash.sandbox.seccomp.Filter.EAFNOSUPPORT;
import static dev.ash.sandbox.seccomp.Filter.ENOSYS;
import static dev.ash.sandbox.seccomp.Filter.EPERM;
import static dev.ash.sandbox.seccomp.Filter.EPROTONOSUPPORT;
import static dev.ash.sandbox.seccomp.Filter.KILL;
import static dev.ash.sandbox.seccomp.Processor.AARCH64;
import static dev.ash.sandbox.seccomp.Processor.X86_64;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the generated program on an interpreter, for both processors. */
class FilterTest {
    private static final int I386 = 0x4000_0003;
    private static final int ARM = 0x4000_0028;

    private static final BpfInterpreter X86_FILTER = new BpfInterpreter(Filter.program(X86_64));
    private static final BpfInterpreter ARM_FILTER = new BpfInterpreter(Filter.program(AARCH64));

    private static BpfInterpreter filter(Processor processor) {
        return processor == X86_64 ? X86_FILTER : ARM_FILTER;
    }

    private static int verdict(Processor processor, int call, long... arguments) {
        return filter(processor).run(processor.convention, call, arguments);
    }

    private static int number(String name, Processor processor) {
        return SystemCall.ALL.stream()
                .filter(call -> call.name().equals(name))
                .findFirst()
                .orElseThrow()
                .number(processor)
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Processor.class)
    void givesEveryNumberTheVerdictOfTheTable(Processor processor) {
        var expected = new ExpectedVerdict(processor);
        for (int number = -1024; number < 4096; number++) {
            assertThat(verdict(processor, number))
                    .as("%s %d", processor, number)
                    .isEqualTo(expected.of(number, 0, 0, 0));
        }
        var random = new Random(6);
        for (int round = 0; round < 100_000; round++) {
            int number = random.nextInt();
            assertThat(verdict(processor, number))
                    .as("%s %d", processor, number)
                    .isEqualTo(expected.of(number, 0, 0, 0));
        }
        // The kernel runs the program for calls whose arguments it checks: keep it short.
        assertThat(filter(processor).longestRun()).isLessThan(32);
    }

    @ParameterizedTest
    @EnumSource(Processor.class)
    void checksArgumentsAsSpecified(Processor processor) {
        var expected = new ExpectedVerdict(processor);
        var calls = List.of("socket", "socketpair", "personality", "ioctl", "clone", "unshare");
        var random = new Random(6);
        for (var name : calls) {
            int number = number(name, processor);
            for (int round = 0; round < 50_000; round++) {
                long[] arguments = {argument(random), argument(random), argument(random)};
                assertThat(verdict(processor, number, arguments))
                        .as("%s %s", name, List.of(arguments[0], arguments[1], arguments[2]))
                        .isEqualTo(
                                expected.of(
                                        number,
                                        (int) arguments[0],
                                        (int) arguments[1],
                                        (int) arguments[2]));
            }
        }
    }

    /** Mostly small values and single bits, sometimes with high bits that the kernel ignores. */
    private static long argument(Random random) {
        long low =
                switch (random.nextInt(4)) {
                    case 0 -> random.nextInt(64);
                    case 1 -> 1L << random.nextInt(32);
                    case 2 -> 0x5400 + random.nextInt(64);
                    default -> random.nextInt(20) | random.nextInt(2) << 11;
                };
        return random.nextInt(4) == 0 ? low | (long) random.nextInt() << 32 : low;
    }

    @ParameterizedTest
    @CsvSource({
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "open_tree",
        "open_tree_attr",
        "move_mount",
        "fsopen",
        "fsconfig",
        "fsmount",
        "fspick",
        "mount_setattr",
        "statmount",
        "listmount",
        "listns",
        "setns",
        "name_to_handle_at",
        "open_by_handle_at",
        "ptrace",
        "process_vm_readv",
        "process_vm_writev",
        "process_madvise",
        "pidfd_getfd",
        "kcmp",
        "bpf",
        "init_module",
        "finit_module",
        "delete_module",
        "kexec_load",
        "kexec_file_load",
        "userfaultfd",
        "perf_event_open",
        "io_uring_setup",
        "io_uring_enter",
        "io_uring_register",
        "memfd_secret",
        "fanotify_init",
        "fanotify_mark",
        "add_key",
        "request_key",
        "keyctl",
        "reboot",
        "swapon",
        "swapoff",
        "acct",
        "quotactl",
        "quotactl_fd",
        "settimeofday",
        "clock_settime",
        "adjtimex",
        "clock_adjtime",
        "sethostname",
        "syslog",
        "vhangup"
    })
    void deniesDangerousCalls(String name) {
        assertThat(verdict(X86_64, number(name, X86_64))).isEqualTo(EPERM);
        assertThat(verdict(AARCH64, number(name, AARCH64))).isEqualTo(EPERM);
    }

    @ParameterizedTest
    @CsvSource({"modify_ldt", "iopl", "ioperm", "ustat", "sysfs"})
    void deniesDangerousCallsThatOnlyX86Has(String name) {
        assertThat(verdict(X86_64, number(name, X86_64))).isEqualTo(EPERM);
    }

    @ParameterizedTest
    @CsvSource({"clone3", "mbind", "move_pages", "migrate_pages", "set_mempolicy", "cachestat"})
    void reportsCallsWithFallbackAsNotImplemented(String name) {
        assertThat(verdict(X86_64, number(name, X86_64))).isEqualTo(ENOSYS);
        assertThat(verdict(AARCH64, number(name, AARCH64))).isEqualTo(ENOSYS);
    }

    @ParameterizedTest
    @CsvSource({
        "read, 0, 63",
        "write, 1, 64",
        "openat, 257, 56",
        "mmap, 9, 222",
        "execve, 59, 221",
        "wait4, 61, 260",
        "kill, 62, 129",
        "futex, 202, 98",
        "connect, 42, 203",
        "fchmodat, 268, 53",
        "prctl, 157, 167",
        "memfd_create, 319, 279",
        "seccomp, 317, 277",
        "rseq, 334, 293",
        "pidfd_open, 434, 434",
        "landlock_create_ruleset, 444, 444",
        "fchmodat2, 452, 452"
    })
    void allowsWhatProgramsNeed(String name, int x86, int arm) {
        assertThat(verdict(X86_64, x86)).as(name).isEqualTo(ALLOW);
        assertThat(verdict(AARCH64, arm)).as(name).isEqualTo(ALLOW);
    }

    @ParameterizedTest
    @CsvSource({"56, 272, X86_64", "220, 97, AARCH64"})
    void allowsThreadsAndProcessesButNoNamespaces(int clone, int unshare, Processor processor) {
        long thread = 0x003D_0F00;
        long process = 0x0120_0011;
        assertThat(verdict(processor, clone, thread)).isEqualTo(ALLOW);
        assertThat(verdict(processor, clone, process)).isEqualTo(ALLOW);
        assertThat(verdict(processor, clone, 0xFFFF_FFFF_0000_0080L)).isEqualTo(ALLOW);
        assertThat(verdict(processor, unshare, 0x400)).isEqualTo(ALLOW); // CLONE_FILES
        for (int bit : new int[] {17, 25, 26, 27, 28, 29, 30}) {
            long flag = 1L << bit;
            assertThat(verdict(processor, clone, flag | process)).isEqualTo(EPERM);
            assertThat(verdict(processor, clone, flag | 0xABCD_0000_0000_0000L)).isEqualTo(EPERM);
            assertThat(verdict(processor, unshare, flag)).isEqualTo(EPERM);
        }
        assertThat(verdict(processor, unshare, 0x80)).isEqualTo(EPERM); // CLONE_NEWTIME
    }

    @ParameterizedTest
    @CsvSource({"16, X86_64", "29, AARCH64"})
    void deniesTerminalInputAndLineDisciplines(int ioctl, Processor processor) {
        assertThat(verdict(processor, ioctl, 0, 0x5413)).isEqualTo(ALLOW); // TIOCGWINSZ
        assertThat(verdict(processor, ioctl, 0, 0x5412)).isEqualTo(EPERM); // TIOCSTI
        assertThat(verdict(processor, ioctl, 0, 0x541C)).isEqualTo(EPERM); // TIOCLINUX
        assertThat(verdict(processor, ioctl, 0, 0x5423)).isEqualTo(EPERM); // TIOCSETD
        // The kernel ignores the high half, so the filter must too (CVE-2019-10063).
        assertThat(verdict(processor, ioctl, 0, 0xDEAD_BEEF_0000_5412L)).isEqualTo(EPERM);
        assertThat(verdict(processor, ioctl, 0x5412, 0)).isEqualTo(ALLOW);
    }

    @ParameterizedTest
    @CsvSource({"41, X86_64", "53, X86_64", "198, AARCH64", "199, AARCH64"})
    void allowsListedSocketFamiliesOnly(int socket, Processor processor) {
        int closeOnExec = 0x80000;
        assertThat(verdict(processor, socket, 1, 1, 0)).isEqualTo(ALLOW);
        assertThat(verdict(processor, socket, 2, 1 | closeOnExec, 6)).isEqualTo(ALLOW);
        assertThat(verdict(processor, socket, 10, 2, 17)).isEqualTo(ALLOW);
        assertThat(verdict(processor, socket, 16, 3, 0)).isEqualTo(ALLOW);
        assertThat(verdict(processor, socket, 16, 3, 9)).isEqualTo(EPROTONOSUPPORT); // audit
        assertThat(verdict(processor, socket, 2, 1, 132)).isEqualTo(EPROTONOSUPPORT); // SCTP
        assertThat(verdict(processor, socket, 2, 3, 1)).isEqualTo(EPERM); // SOCK_RAW
        assertThat(verdict(processor, socket, 2, 10, 0x300)).isEqualTo(EPERM); // SOCK_PACKET
        assertThat(verdict(processor, socket, 40, 1, 0)).isEqualTo(EAFNOSUPPORT); // AF_VSOCK
        assertThat(verdict(processor, socket, 38, 5, 0)).isEqualTo(EAFNOSUPPORT); // AF_ALG
        assertThat(verdict(processor, socket, 17, 3, 0)).isEqualTo(EAFNOSUPPORT); // AF_PACKET
        assertThat(verdict(processor, socket, 0x1_0000_0028L, 1, 0)).isEqualTo(EAFNOSUPPORT);
    }

    @Test
    void rejectsOtherCallingConventions() {
        assertThat(X86_FILTER.run(I386, 3)).isEqualTo(KILL);
        assertThat(X86_FILTER.run(AARCH64.convention, 0)).isEqualTo(KILL);
        assertThat(ARM_FILTER.run(ARM, 3)).isEqualTo(KILL);
        assertThat(verdict(X86_64, Filter.X32)).isEqualTo(EPERM);
        assertThat(verdict(X86_64, Filter.X32 | 39)).isEqualTo(EPERM);
        assertThat(verdict(X86_64, 512)).isEqualTo(ENOSYS); // x32 numbers without their bit
        assertThat(verdict(X86_64, -1)).isEqualTo(EPERM);
    }

    @ParameterizedTest
    @EnumSource(Processor.class)
    void fitsTheKernelsLimits(Processor processor) {
        assertThat(Filter.program(processor).length / 8).isLessThan(1024); // the kernel: 4096
    }

    @Test
    void usesLongJumpsAcrossLargeBlocks() {
        var block = Block.returning(7);
        for (int value : Collections.nCopies(300, 1)) {
            block = Block.ifEqual(value, Block.returning(8), block);
        }
        var program = new BpfInterpreter(Block.load(0, Block.ifEqual(5, block, block)).bytes());
        assertThat(program.run(0, 5)).isEqualTo(7);
        assertThat(program.run(0, 1)).isEqualTo(8);
    }

    @Test
    void supportsTwoProcessors() {
        assertThat(Processor.named("amd64")).contains(X86_64);
        assertThat(Processor.named("aarch64")).contains(AARCH64);
        assertThat(Processor.named("riscv64")).isEmpty();
    }
}
