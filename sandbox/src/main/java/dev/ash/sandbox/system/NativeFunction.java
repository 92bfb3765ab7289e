package dev.ash.sandbox.system;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * A function of the C library whose arguments are integers and addresses. All functions are linked
 * with the same type, six integers: the JVM generates code for each type of function, which takes
 * about 15 ms. The calling conventions of 64-bit Linux pass six arguments in registers, also those
 * of variadic functions, and a function ignores the registers that it does not use.
 */
@SuppressWarnings("restricted") // native access is its purpose
public final class NativeFunction {
    private static final int ARGUMENTS = 6;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final FunctionDescriptor TYPE =
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG);

    private final MethodHandle handle;

    private NativeFunction(MethodHandle handle) {
        this.handle = handle;
    }

    /** Thrown if a function returns a negative result. */
    public static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;

        private final int errno;

        private Failure(int errno) {
            super("error " + errno);
            this.errno = errno;
        }

        public int errno() {
            return errno;
        }
    }

    public static Optional<NativeFunction> find(String name) {
        return LINKER.defaultLookup()
                .find(name)
                .map(
                        symbol ->
                                new NativeFunction(
                                        LINKER.downcallHandle(
                                                symbol,
                                                TYPE,
                                                Linker.Option.captureCallState("errno"))));
    }

    /**
     * Finds a function of the C library.
     *
     * @throws NoSuchElementException if the C library has no such function
     */
    public static NativeFunction require(String name) {
        return find(name).orElseThrow(() -> new NoSuchElementException("no function " + name));
    }

    /** Calls a function that returns an {@code int}. */
    public int call(long... arguments) throws Failure {
        return (int) invoke(true, arguments);
    }

    /** Calls a function that returns a {@code long}. */
    public long callLong(long... arguments) throws Failure {
        return invoke(false, arguments);
    }

    private long invoke(boolean isInt, long... given) throws Failure {
        var all = new long[ARGUMENTS];
        System.arraycopy(given, 0, all, 0, given.length);
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            long register =
                    (long)
                            handle.invokeExact(
                                    state, all[0], all[1], all[2], all[3], all[4], all[5]);
            long result = isInt ? (int) register : register; // the upper half is undefined
            if (result < 0) {
                throw new Failure((int) ERRNO.get(state, 0L));
            }
            return result;
        } catch (Failure | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a native call throws nothing
        }
    }
}
