package dev.ash.server.approval;

import dev.ash.protocol.SessionId;

/** Runs deliveries to bridges off the caller's thread, those of one session in order. */
interface DeliveryQueue {
    /** Returns false if too many deliveries of the session are pending. */
    boolean submit(SessionId session, Runnable delivery);
}
