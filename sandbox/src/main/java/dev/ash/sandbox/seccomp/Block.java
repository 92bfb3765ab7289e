package dev.ash.sandbox.seccomp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;

/**
 * Instructions of classic BPF that return on every path. Jumps are relative and lead forward, so
 * blocks can be concatenated.
 */
record Block(List<Instruction> instructions) {
    static final int LOAD = 0x20;
    static final int AND = 0x54;
    static final int JUMP = 0x05;
    static final int JUMP_IF_EQUAL = 0x15;
    static final int JUMP_IF_AT_LEAST = 0x35;
    static final int JUMP_IF_ANY_BIT = 0x45;
    static final int RETURN = 0x06;

    /** Conditional jumps have 8 bits for their distance. */
    private static final int LONGEST_BRANCH = 0xFF;

    record Instruction(int code, int ifTrue, int ifFalse, int value) {
        Instruction(int code, int value) {
            this(code, 0, 0, value);
        }
    }

    static Block returning(int verdict) {
        return new Block(List.of(new Instruction(RETURN, verdict)));
    }

    /** Loads 32 bits of the call's description into the accumulator. */
    static Block load(int offset, Block next) {
        return join(List.of(new Instruction(LOAD, offset)), next);
    }

    /** Clears all bits of the accumulator outside the mask. */
    static Block mask(int mask, Block next) {
        return join(List.of(new Instruction(AND, mask)), next);
    }

    static Block ifEqual(int value, Block then, Block otherwise) {
        return branch(JUMP_IF_EQUAL, value, then, otherwise);
    }

    /** Compares without a sign. */
    static Block ifAtLeast(int value, Block then, Block otherwise) {
        return branch(JUMP_IF_AT_LEAST, value, then, otherwise);
    }

    static Block ifAnyBit(int bits, Block then, Block otherwise) {
        return branch(JUMP_IF_ANY_BIT, bits, then, otherwise);
    }

    /** Returns one verdict for the listed values and another one for the rest. */
    static Block ifAnyOf(List<Integer> values, Block then, Block otherwise) {
        var block = otherwise;
        for (int value : values.reversed()) {
            block = ifEqual(value, then, block);
        }
        return block;
    }

    private static Block branch(int code, int value, Block then, Block otherwise) {
        int size = then.instructions.size();
        var jumps =
                size <= LONGEST_BRANCH
                        ? List.of(new Instruction(code, 0, size, value))
                        : List.of(new Instruction(code, 1, 0, value), new Instruction(JUMP, size));
        return join(join(jumps, then).instructions, otherwise);
    }

    private static Block join(List<Instruction> first, Block second) {
        return new Block(Stream.of(first, second.instructions).flatMap(List::stream).toList());
    }

    /** The format that bubblewrap and the kernel read: {@code struct sock_filter[]}. */
    byte[] bytes() {
        var bytes = ByteBuffer.allocate(8 * instructions.size()).order(ByteOrder.LITTLE_ENDIAN);
        for (var each : instructions) {
            bytes.putShort((short) each.code);
            bytes.put((byte) each.ifTrue).put((byte) each.ifFalse).putInt(each.value);
        }
        return bytes.array();
    }
}
