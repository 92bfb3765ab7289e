package dev.ash.server.approval;

import dev.ash.protocol.SessionId;

/** Takes over what must not hold up the caller; the tasks of one session run in their order. */
interface Handover {
    /** False if too many wait already. */
    boolean later(SessionId session, Runnable task);
}
