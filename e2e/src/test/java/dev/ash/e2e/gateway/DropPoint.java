package dev.ash.e2e.gateway;

/** A point in the protocol at which a device drops its connection. */
enum DropPoint {
    CONNECTED,
    AUTH_SENT,
    ADMITTED,
    /** After a number of frames of any type, replayed or live. */
    FRAME_RECEIVED,
    /** After a number of text chunks. */
    STREAMING,
    /** Before it confirms the received frames with a pong. */
    PING_RECEIVED,
    /** After a number of pongs. */
    PONG_SENT,
    QUESTION_RECEIVED,
    ANSWER_SENT,
    NEVER
}
