package dev.ash.server.workspace;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Work on files with the rights of another user: what that one may not read or write, a server that
 * is root does not either, and what is made belongs to that one. The server's own groups do not
 * count. The kernel keeps these rights per thread, so the work gets a thread of its own, which is
 * never used again.
 */
public final class OnBehalf {
    public static <T> T of(int uid, int gid, Callable<T> work) throws Exception {
        var task =
                new FutureTask<>(
                        () -> {
                            var own = Posix.takeRightsOf(uid, gid);
                            try {
                                return work.call();
                            } finally {
                                // Before the caller is woken: that can start a carrier of virtual
                                // threads, and a new thread inherits the rights of its starter.
                                Posix.restore(own);
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

    private OnBehalf() {}
}
