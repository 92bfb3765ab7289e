package dev.ash.sandbox.seccomp;

import static dev.ash.sandbox.seccomp.Filter.ALLOW;
import static dev.ash.sandbox.seccomp.Filter.ENOSYS;
import static dev.ash.sandbox.seccomp.Filter.EPERM;
import static dev.ash.sandbox.seccomp.Filter.KILL;
import static dev.ash.sandbox.seccomp.Processor.AARCH64;
import static dev.ash.sandbox.seccomp.Processor.X86_64;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the program as the kernel would, on a machine of a few lines. */
class FilterTest {
    private static final int I386 = 0x4000_0003;
    private static final int ARM = 0x4000_0028;

    private static int verdict(Processor processor, int convention, int call, long... arguments) {
        var shown = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        shown.putInt(call).putInt(convention).putLong(0);
        Arrays.stream(arguments).forEach(shown::putLong);
        var program = ByteBuffer.wrap(Filter.program(processor)).order(ByteOrder.LITTLE_ENDIAN);
        int accumulator = 0;
        while (program.hasRemaining()) {
            int code = program.getShort();
            int ifTrue = program.get() & 0xFF;
            int ifFalse = program.get() & 0xFF;
            int value = program.getInt();
            boolean holds =
                    switch (code) {
                        case Filter.JUMP_IF_EQUAL -> accumulator == value;
                        case Filter.JUMP_IF_AT_LEAST ->
                                Integer.compareUnsigned(accumulator, value) >= 0;
                        case Filter.JUMP_IF_ANY_BIT -> (accumulator & value) != 0;
                        case Filter.LOAD, Filter.RETURN -> false;
                        default -> throw new AssertionError("instruction " + code);
                    };
            if (code == Filter.RETURN) {
                return value;
            } else if (code == Filter.LOAD) {
                accumulator = shown.getInt(value);
            } else {
                program.position(program.position() + 8 * (holds ? ifTrue : ifFalse));
            }
        }
        throw new AssertionError("the program has no end");
    }

    private static int answer(Processor processor, int call, long... arguments) {
        return verdict(processor, processor.convention, call, arguments);
    }

    @ParameterizedTest
    @EnumSource(RefusedCall.class)
    void refusesWhatTheTableNames(RefusedCall call) {
        assertThat(answer(X86_64, call.number(X86_64))).isEqualTo(EPERM);
        if (call.number(AARCH64) != RefusedCall.NONE) {
            assertThat(answer(AARCH64, call.number(AARCH64))).isEqualTo(EPERM);
        }
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
        "socket, 41, 198",
        "connect, 42, 203",
        "chmod at, 268, 53",
        "prctl, 157, 167",
        "memfd_create, 319, 279",
        "seccomp, 317, 277",
        "landlock, 444, 444",
        "personality, 135, 92"
    })
    void allowsWhatProgramsNeed(String name, int x86, int arm) {
        assertThat(answer(X86_64, x86)).as(name).isEqualTo(ALLOW);
        assertThat(answer(AARCH64, arm)).as(name).isEqualTo(ALLOW);
    }

    @Test
    void saysThatThereIsNoClone3SoThatLibrariesUseClone() {
        assertThat(answer(X86_64, 435)).isEqualTo(ENOSYS);
        assertThat(answer(AARCH64, 435)).isEqualTo(ENOSYS);
    }

    @ParameterizedTest
    @CsvSource({"56, 272, X86_64", "220, 97, AARCH64"})
    void threadsAndProcessesMayBeMadeButNoNamespaces(int clone, int unshare, Processor processor) {
        long thread = 0x003D_0F00;
        long process = 0x0120_0011;
        assertThat(answer(processor, clone, thread)).isEqualTo(ALLOW);
        assertThat(answer(processor, clone, process)).isEqualTo(ALLOW);
        assertThat(answer(processor, clone, 0xFFFF_FFFF_0000_0080L)).isEqualTo(ALLOW);
        assertThat(answer(processor, unshare, 0x400)).isEqualTo(ALLOW); // CLONE_FILES
        for (int flag :
                new int[] {
                    0x0002_0000,
                    0x0200_0000,
                    0x0400_0000,
                    0x0800_0000,
                    0x1000_0000,
                    0x2000_0000,
                    0x4000_0000
                }) {
            assertThat(answer(processor, clone, flag | process)).isEqualTo(EPERM);
            assertThat(answer(processor, clone, flag | 0xABCD_0000_0000_0000L)).isEqualTo(EPERM);
            assertThat(answer(processor, unshare, flag)).isEqualTo(EPERM);
        }
        assertThat(answer(processor, unshare, 0x80)).isEqualTo(EPERM);
    }

    @ParameterizedTest
    @CsvSource({"16, X86_64", "29, AARCH64"})
    void noKeysAreTypedIntoTerminals(int ioctl, Processor processor) {
        assertThat(answer(processor, ioctl, 0, 0x5413)).isEqualTo(ALLOW); // TIOCGWINSZ
        assertThat(answer(processor, ioctl, 0, 0x5412)).isEqualTo(EPERM);
        assertThat(answer(processor, ioctl, 0, 0x541C)).isEqualTo(EPERM);
        // The kernel looks at the low half only, and so must we (CVE-2019-10063).
        assertThat(answer(processor, ioctl, 0, 0xDEAD_BEEF_0000_5412L)).isEqualTo(EPERM);
        assertThat(answer(processor, ioctl, 0x5412, 0)).isEqualTo(ALLOW);
    }

    @Test
    void refusesOtherCallingConventions() {
        assertThat(verdict(X86_64, I386, 3)).isEqualTo(KILL);
        assertThat(verdict(X86_64, AARCH64.convention, 0)).isEqualTo(KILL);
        assertThat(verdict(AARCH64, ARM, 3)).isEqualTo(KILL);
        assertThat(answer(X86_64, Filter.X32)).isEqualTo(EPERM);
        assertThat(answer(X86_64, Filter.X32 | 165)).isEqualTo(EPERM);
        assertThat(answer(X86_64, -1)).isEqualTo(EPERM);
    }

    @Test
    void fitsIntoWhatTheKernelTakes() {
        assertThat(Filter.program(X86_64).length / 8).isLessThan(4096);
        assertThat(Processor.named("amd64")).contains(X86_64);
        assertThat(Processor.named("riscv64")).isEmpty();
    }
}
