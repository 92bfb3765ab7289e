package dev.ash.server.workspace;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Accesses files with the permissions of another user, so that a server that runs as root reads and
 * writes only files that this user can, and new files belong to the user. The server's own groups
 * do not apply. The kernel keeps these ids per thread, so each call runs on a new thread.
 */
public final class RunAs {
    public static <T> T call(int uid, int gid, Callable<T> work) throws Exception {
        var task =
                new FutureTask<>(
                        () -> {
                            var previous = Posix.setFileSystemIds(uid, gid);
                            try {
                                return work.call();
                            } finally {
                                // Before the caller resumes: that can start a carrier of virtual
                                // threads, and a new thread inherits the ids of its creator.
                                Posix.restoreFileSystemIds(previous);
                            }
                        });
        Thread.ofPlatform().daemon().name("files-of-" + uid).start(task);
        try {
            return task.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Exception known -> throw known;
                case Error error -> throw error;
                case null, default -> throw e;
            }
        }
    }

    private RunAs() {}
}
