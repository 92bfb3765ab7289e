package dev.ash.sandbox.seccomp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The program that the kernel runs before each system call of a sandbox. It goes down a list, so
 * that it can be read; the kernel remembers which calls it always allows and skips it for these.
 */
public final class Filter {
    static final int ALLOW = 0x7FFF_0000;
    static final int KILL = 0x8000_0000;
    private static final int ERRNO = 0x0005_0000;
    static final int EPERM = ERRNO | 1;
    static final int ENOSYS = ERRNO | 38;

    /** Those flags of {@code clone} and {@code unshare} that make a namespace. */
    static final int NEW_NAMESPACES = 0x7E02_0000;

    /** Of {@code unshare} alone: for {@code clone} this bit is part of a signal's number. */
    static final int NEW_TIME_NAMESPACE = 0x80;

    /** The first number of the x32 calls, which reach the same kernel by other numbers. */
    static final int X32 = 0x4000_0000;

    static final int TIOCSTI = 0x5412;
    static final int TIOCLINUX = 0x541C;

    // What the kernel shows of a call.
    private static final int NUMBER = 0;
    private static final int CONVENTION = 4;
    private static final int FIRST_ARGUMENT = 16; // of its 64 bits the low ones, which count
    private static final int SECOND_ARGUMENT = 24;

    // The instructions of the kernel's little machine that are used here.
    static final int LOAD = 0x20;
    static final int JUMP_IF_EQUAL = 0x15;
    static final int JUMP_IF_AT_LEAST = 0x35;
    static final int JUMP_IF_ANY_BIT = 0x45;
    static final int RETURN = 0x06;

    private record Instruction(int code, int ifTrue, int ifFalse, int value) {}

    private final List<Instruction> program = new ArrayList<>();

    private Filter() {}

    /** As bubblewrap and the kernel read it. */
    public static byte[] program(Processor processor) {
        var filter = new Filter();
        filter.write(processor);
        var bytes = ByteBuffer.allocate(8 * filter.program.size()).order(ByteOrder.LITTLE_ENDIAN);
        for (var each : filter.program) {
            bytes.putShort((short) each.code);
            bytes.put((byte) each.ifTrue).put((byte) each.ifFalse).putInt(each.value);
        }
        return bytes.array();
    }

    private void write(Processor processor) {
        boolean x86 = processor == Processor.X86_64;
        add(LOAD, CONVENTION);
        jump(JUMP_IF_EQUAL, processor.convention, 1, 0);
        add(RETURN, KILL); // 32-bit programs: their calls have numbers of their own
        add(LOAD, NUMBER);
        if (x86) {
            jump(JUMP_IF_AT_LEAST, X32, 0, 1);
            add(RETURN, EPERM);
        }
        for (var call : RefusedCall.values()) {
            if (call.number(processor) != RefusedCall.NONE) {
                refuse(call.number(processor), EPERM);
            }
        }
        // Its flags lie in memory, where a filter cannot look. C libraries then use clone.
        refuse(435, ENOSYS);
        refuseFlags(x86 ? 56 : 220, NEW_NAMESPACES); // clone
        refuseFlags(x86 ? 272 : 97, NEW_NAMESPACES | NEW_TIME_NAMESPACE); // unshare
        refuseTyping(x86 ? 16 : 29); // ioctl
        add(RETURN, ALLOW);
    }

    private void refuse(int call, int answer) {
        jump(JUMP_IF_EQUAL, call, 0, 1);
        add(RETURN, answer);
    }

    private void refuseFlags(int call, int flags) {
        jump(JUMP_IF_EQUAL, call, 0, 4);
        add(LOAD, FIRST_ARGUMENT);
        jump(JUMP_IF_ANY_BIT, flags, 0, 1);
        add(RETURN, EPERM);
        add(RETURN, ALLOW);
    }

    /** Two requests to a terminal that put keys into what another program will read. */
    private void refuseTyping(int call) {
        jump(JUMP_IF_EQUAL, call, 0, 5);
        add(LOAD, SECOND_ARGUMENT);
        jump(JUMP_IF_EQUAL, TIOCSTI, 1, 0);
        jump(JUMP_IF_EQUAL, TIOCLINUX, 0, 1);
        add(RETURN, EPERM);
        add(RETURN, ALLOW);
    }

    private void add(int code, int value) {
        jump(code, value, 0, 0);
    }

    private void jump(int code, int value, int ifTrue, int ifFalse) {
        program.add(new Instruction(code, ifTrue, ifFalse, value));
    }
}
