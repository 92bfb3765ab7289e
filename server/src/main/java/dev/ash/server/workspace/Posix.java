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
 * Binds system calls that Java does not offer: file operations relative to an open directory, and
 * the file system ids of a thread. Names are encoded as UTF-8, independent of the locale.
 */
final class Posix {
    static final int CURRENT_DIRECTORY = -100;

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

    /** The C library's {@code setgroups} changes all threads, the system call only this one. */
    private static final MethodHandle SYSTEM_CALL =
            function(
                    "syscall",
                    List.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                    Linker.Option.firstVariadicArg(1));

    private static final long SETGROUPS =
            switch (System.getProperty("os.arch")) {
                case "aarch64" -> 159;
                case "amd64" -> 116;
                default -> -1; // unsupported: setFileSystemIds fails
            };

    static int openPath(int directory, String name) throws IOException {
        return call(
                name,
                (state, arena) ->
                        (int)
                                OPENAT.invokeExact(
                                        state,
                                        directory,
                                        text(arena, name),
                                        O_PATH | O_NOFOLLOW | O_CLOEXEC,
                                        0));
    }

    static void createDirectory(int directory, String name) throws IOException {
        call(
                name,
                (state, arena) ->
                        (int) MKDIRAT.invokeExact(state, directory, text(arena, name), 0755));
    }

    static void createLink(int directory, String name, String target) throws IOException {
        call(
                name,
                (state, arena) ->
                        (int)
                                SYMLINKAT.invokeExact(
                                        state, text(arena, target), directory, text(arena, name)));
    }

    static void rename(int directory, String from, String to) throws IOException {
        call(
                to,
                (state, arena) ->
                        (int)
                                RENAMEAT.invokeExact(
                                        state,
                                        directory,
                                        text(arena, from),
                                        directory,
                                        text(arena, to)));
    }

    static void remove(int directory, String name) throws IOException {
        call(
                name,
                (state, arena) ->
                        (int) UNLINKAT.invokeExact(state, directory, text(arena, name), 0));
    }

    /** The ids that the kernel checks when a thread accesses files. */
    record FileSystemIds(int uid, int gid) {}

    /** Sets the ids and clears the groups of this thread; returns its previous ids. */
    static FileSystemIds setFileSystemIds(int uid, int gid) throws IOException {
        var previous = new FileSystemIds(current(SETFSUID), current(SETFSGID));
        call(
                "groups of user " + uid,
                (state, _) ->
                        (int) SYSTEM_CALL.invokeExact(state, SETGROUPS, 0L, MemorySegment.NULL));
        set(SETFSGID, gid); // first: changing the uid drops the capability to do this
        set(SETFSUID, uid);
        return previous;
    }

    static void restoreFileSystemIds(FileSystemIds ids) throws IOException {
        set(SETFSUID, ids.uid()); // first: it restores the capability to set the gid
        set(SETFSGID, ids.gid());
    }

    /** These calls return the previous id and report no failure; -1 only queries the id. */
    private static void set(MethodHandle call, int id) throws IOException {
        call("", (state, _) -> (int) call.invokeExact(state, id));
        if (current(call) != id) {
            throw new AccessDeniedException("files of user or group " + id);
        }
    }

    private static int current(MethodHandle call) throws IOException {
        return call("", (state, _) -> (int) call.invokeExact(state, -1));
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
            throw new LinkageError("Native call failed", e);
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

    @SuppressWarnings("restricted") // safe as the descriptors above match the manual pages
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
