package dev.ash.server.workspace;

import dev.ash.sandbox.system.NativeFunction;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

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

    private static final NativeFunction OPENAT = NativeFunction.require("openat");
    private static final NativeFunction MKDIRAT = NativeFunction.require("mkdirat");
    private static final NativeFunction SYMLINKAT = NativeFunction.require("symlinkat");
    private static final NativeFunction RENAMEAT = NativeFunction.require("renameat");
    private static final NativeFunction UNLINKAT = NativeFunction.require("unlinkat");
    private static final NativeFunction CLOSE = NativeFunction.require("close");
    private static final NativeFunction SETFSUID = NativeFunction.require("setfsuid");
    private static final NativeFunction SETFSGID = NativeFunction.require("setfsgid");

    /** The C library's {@code setgroups} changes all threads, the system call only this one. */
    private static final NativeFunction SYSTEM_CALL = NativeFunction.require("syscall");

    private static final long SETGROUPS =
            switch (System.getProperty("os.arch")) {
                case "aarch64" -> 159;
                case "amd64" -> 116;
                default -> -1; // unsupported: setFileSystemIds fails
            };

    static int openPath(int directory, String name) throws IOException {
        return call(
                name,
                arena ->
                        OPENAT.call(
                                directory, text(arena, name), O_PATH | O_NOFOLLOW | O_CLOEXEC, 0));
    }

    static void createDirectory(int directory, String name) throws IOException {
        call(name, arena -> MKDIRAT.call(directory, text(arena, name), 0755));
    }

    static void createLink(int directory, String name, String target) throws IOException {
        call(name, arena -> SYMLINKAT.call(text(arena, target), directory, text(arena, name)));
    }

    static void rename(int directory, String from, String to) throws IOException {
        call(to, arena -> RENAMEAT.call(directory, text(arena, from), directory, text(arena, to)));
    }

    static void remove(int directory, String name) throws IOException {
        call(name, arena -> UNLINKAT.call(directory, text(arena, name), 0));
    }

    /** The ids that the kernel checks when a thread accesses files. */
    record FileSystemIds(int uid, int gid) {}

    /** Sets the ids and clears the groups of this thread; returns its previous ids. */
    static FileSystemIds setFileSystemIds(int uid, int gid) throws IOException {
        var previous = new FileSystemIds(current(SETFSUID), current(SETFSGID));
        call("groups of user " + uid, _ -> SYSTEM_CALL.call(SETGROUPS, 0, 0));
        set(SETFSGID, gid); // first: changing the uid drops the capability to do this
        set(SETFSUID, uid);
        return previous;
    }

    static void restoreFileSystemIds(FileSystemIds ids) throws IOException {
        set(SETFSUID, ids.uid()); // first: it restores the capability to set the gid
        set(SETFSGID, ids.gid());
    }

    /** These calls return the previous id and report no failure; -1 only queries the id. */
    private static void set(NativeFunction call, int id) throws IOException {
        call("", _ -> call.call(id));
        if (current(call) != id) {
            throw new AccessDeniedException("files of user or group " + id);
        }
    }

    private static int current(NativeFunction call) throws IOException {
        return call("", _ -> call.call(-1));
    }

    static void close(int descriptor) {
        try {
            call("", _ -> CLOSE.call(descriptor));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Call {
        int run(Arena arena) throws NativeFunction.Failure;
    }

    private static int call(String name, Call call) throws IOException {
        try (var arena = Arena.ofConfined()) {
            return call.run(arena);
        } catch (NativeFunction.Failure e) {
            throw failure(e.errno(), name);
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

    private static long text(Arena arena, String text) {
        return arena.allocateFrom(text, StandardCharsets.UTF_8).address();
    }

    private Posix() {}
}
