package dev.ash.server.workspace;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/**
 * The calls of Linux that work in an open folder, which Java lacks. Names are UTF-8 whatever the
 * locale says, as they are everywhere else on the wire.
 */
final class Posix {
    static final int CURRENT_FOLDER = -100;

    private static final int O_PATH = 0x200000;
    private static final int O_CLOEXEC = 0x80000;
    private static final int O_NOFOLLOW =
            switch (System.getProperty("os.arch")) {
                case "aarch64", "arm", "ppc64le", "ppc64" -> 0x8000;
                default -> 0x20000;
            };

    private static final int ENOENT = 2;
    private static final int EACCES = 13;
    private static final int EEXIST = 17;
    private static final int ENOTDIR = 20;
    private static final int EISDIR = 21;
    private static final int ENOSPC = 28;
    private static final int ENAMETOOLONG = 36;
    private static final int EDQUOT = 122;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MemoryLayout INT = ValueLayout.JAVA_INT;
    private static final MemoryLayout TEXT = ValueLayout.ADDRESS;
    private static final MethodHandle OPENAT =
            function("openat", List.of(INT, TEXT, INT, INT), Linker.Option.firstVariadicArg(3));
    private static final MethodHandle MKDIRAT = function("mkdirat", List.of(INT, TEXT, INT));
    private static final MethodHandle SYMLINKAT = function("symlinkat", List.of(TEXT, INT, TEXT));
    private static final MethodHandle RENAMEAT =
            function("renameat", List.of(INT, TEXT, INT, TEXT));
    private static final MethodHandle UNLINKAT = function("unlinkat", List.of(INT, TEXT, INT));
    private static final MethodHandle CLOSE = function("close", List.of(INT));
    private static final MethodHandle SETFSUID = function("setfsuid", List.of(INT));
    private static final MethodHandle SETFSGID = function("setfsgid", List.of(INT));

    /** The library's {@code setgroups} changes all threads; the system call only this one. */
    private static final MethodHandle SYSTEM_CALL =
            function(
                    "syscall",
                    List.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(1));

    private static final long SETGROUPS =
            switch (System.getProperty("os.arch")) {
                case "aarch64" -> 159;
                case "amd64" -> 116;
                default -> -1; // no such call: changing to another user's rights fails
            };

    static int openPath(int folder, String name) throws IOException {
        return call(
                name,
                (state, arena) ->
                        (int)
                                OPENAT.invokeExact(
                                        state,
                                        folder,
                                        text(arena, name),
                                        O_PATH | O_NOFOLLOW | O_CLOEXEC,
                                        0));
    }

    static void makeFolder(int folder, String name) throws IOException {
        call(
                name,
                (state, arena) ->
                        (int) MKDIRAT.invokeExact(state, folder, text(arena, name), 0755));
    }

    static void makeLink(int folder, String name, String target) throws IOException {
        call(
                name,
                (state, arena) ->
                        (int)
                                SYMLINKAT.invokeExact(
                                        state, text(arena, target), folder, text(arena, name)));
    }

    static void rename(int folder, String from, String to) throws IOException {
        call(
                to,
                (state, arena) ->
                        (int)
                                RENAMEAT.invokeExact(
                                        state, folder, text(arena, from), folder, text(arena, to)));
    }

    static void remove(int folder, String name) throws IOException {
        call(
                name,
                (state, arena) -> (int) UNLINKAT.invokeExact(state, folder, text(arena, name), 0));
    }

    /** Whose rights a thread has, as far as it touches files. */
    record FileRights(int uid, int gid) {}

    /** For this thread, as far as it touches files. Returns the rights that it had. */
    static FileRights takeRightsOf(int uid, int gid) throws IOException {
        var before = new FileRights(ask(SETFSUID), ask(SETFSGID));
        call(
                "groups of user " + uid,
                (state, _) ->
                        (int) SYSTEM_CALL.invokeExact(state, SETGROUPS, 0L, MemorySegment.NULL));
        takeRights(SETFSGID, gid); // before the next one, which gives up the power to do this
        takeRights(SETFSUID, uid);
        return before;
    }

    static void restore(FileRights rights) throws IOException {
        takeRights(SETFSUID, rights.uid()); // first: it gives back the power to do the next
        takeRights(SETFSGID, rights.gid());
    }

    /** These calls tell the number before them and no failure; a number that none has asks only. */
    private static void takeRights(MethodHandle set, int id) throws IOException {
        call("", (state, _) -> (int) set.invokeExact(state, id));
        if (ask(set) != id) {
            throw new AccessDeniedException("files of user or group " + id);
        }
    }

    private static int ask(MethodHandle set) throws IOException {
        return call("", (state, _) -> (int) set.invokeExact(state, -1));
    }

    static void close(int descriptor) {
        try {
            call("", (state, _) -> (int) CLOSE.invokeExact(state, descriptor));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Call {
        int run(MemorySegment state, Arena arena) throws Throwable;
    }

    private static int call(String name, Call call) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            int result = call.run(state, arena);
            if (result < 0) {
                throw failure((int) ERRNO.get(state, 0L), name);
            }
            return result;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("A native call failed", e);
        }
    }

    private static IOException failure(int errno, String name) {
        return switch (errno) {
            case ENOENT, ENOTDIR -> new NoSuchFileException(name);
            case EEXIST -> new FileAlreadyExistsException(name);
            case EACCES -> new AccessDeniedException(name);
            case EISDIR -> new FileSystemException(name, null, "Is a directory");
            case ENAMETOOLONG -> new FileSystemException(name, null, "File name too long");
            case ENOSPC -> new FileSystemException(name, null, "No space left on device");
            case EDQUOT -> new FileSystemException(name, null, "Disk quota exceeded");
            default -> new FileSystemException(name, null, "Error " + errno);
        };
    }

    private static MemorySegment text(Arena arena, String text) {
        return arena.allocateFrom(text, StandardCharsets.UTF_8);
    }

    @SuppressWarnings(
            "restricted") // as long as the descriptors above are those of the manual pages
    private static MethodHandle function(
            String name, List<MemoryLayout> arguments, Linker.Option... options) {
        var all = new ArrayList<>(List.of(options));
        all.add(Linker.Option.captureCallState("errno"));
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments.toArray(MemoryLayout[]::new)),
                all.toArray(Linker.Option[]::new));
    }

    private Posix() {}
}
