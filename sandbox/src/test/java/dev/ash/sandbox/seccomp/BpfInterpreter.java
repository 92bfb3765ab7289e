package dev.ash.sandbox.seccomp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Runs a filter as the kernel does. Accepts only the instructions that {@link Block} generates. */
final class BpfInterpreter {
    private final ByteBuffer program;
    private int longestRun;

    BpfInterpreter(byte[] program) {
        this.program = ByteBuffer.wrap(program).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** The number of instructions in the longest run so far. */
    int longestRun() {
        return longestRun;
    }

    int run(int convention, int number, long... arguments) {
        var data = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        data.putInt(number).putInt(convention).putLong(0);
        Arrays.stream(arguments).forEach(data::putLong);
        program.rewind();
        int accumulator = 0;
        for (int steps = 1; program.hasRemaining(); steps++) {
            longestRun = Math.max(longestRun, steps);
            int code = program.getShort();
            int ifTrue = program.get() & 0xFF;
            int ifFalse = program.get() & 0xFF;
            int value = program.getInt();
            switch (code) {
                case Block.RETURN -> {
                    return value;
                }
                case Block.LOAD -> accumulator = data.getInt(value);
                case Block.AND -> accumulator &= value;
                case Block.JUMP -> skip(value);
                case Block.JUMP_IF_EQUAL -> skip(accumulator == value ? ifTrue : ifFalse);
                case Block.JUMP_IF_AT_LEAST ->
                        skip(Integer.compareUnsigned(accumulator, value) >= 0 ? ifTrue : ifFalse);
                case Block.JUMP_IF_ANY_BIT -> skip((accumulator & value) != 0 ? ifTrue : ifFalse);
                default -> throw new AssertionError("unknown instruction " + code);
            }
        }
        throw new AssertionError("the program ended without a return");
    }

    private void skip(int instructions) {
        program.position(program.position() + 8 * instructions);
    }
}
