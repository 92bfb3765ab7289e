package dev.ash.server.approval;

import dev.ash.protocol.SessionId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A virtual thread for each session that has tasks, which ends with the last of them. */
final class Lanes implements Handover {
    private static final System.Logger LOG = System.getLogger("ash.approval");

    /** More only wait if a bridge asks without reading its answers. */
    private static final int ROOM = 1024;

    private final Map<SessionId, ArrayDeque<Runnable>> waiting = new HashMap<>(); // guarded by this

    @Override
    public boolean later(SessionId session, Runnable task) {
        synchronized (this) {
            var lane = waiting.get(session);
            if (lane != null) {
                return lane.size() < ROOM && lane.add(task);
            }
            waiting.put(session, new ArrayDeque<>());
        }
        Thread.ofVirtual().name("approvals-" + session).start(() -> run(session, task));
        return true;
    }

    private void run(SessionId session, Runnable first) {
        for (Runnable task = first; task != null; task = next(session)) {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "approvals of session " + session, e);
            }
        }
    }

    private synchronized @Nullable Runnable next(SessionId session) {
        var lane = waiting.get(session);
        var task = lane == null ? null : lane.poll();
        if (task == null) {
            waiting.remove(session);
        }
        return task;
    }
}
