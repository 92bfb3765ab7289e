package dev.ash.protocol;

import java.time.Duration;

/** Ports, timeouts and sizes that more than one program must agree on. */
public final class Limits {
    public static final int DEFAULT_PORT = 4100;
    public static final String DEFAULT_SERVER_URL = "http://localhost:4100";

    /** A bridge must say {@code ready} within this time. */
    public static final Duration READY_TIMEOUT = Duration.ofSeconds(10);

    /** Where a bridge offers the way out of its sandbox, on the loopback of that sandbox. */
    public static final int EGRESS_PORT = 3128;

    /** A client that reads nothing for this long is cut off. */
    public static final Duration STALLED_READER = Duration.ofSeconds(30);

    /** Silence on an event stream is broken by a comment this often. */
    public static final Duration HEARTBEAT = Duration.ofSeconds(15);

    public static final int MAX_LINE_BYTES = 16 * 1024 * 1024;
    public static final int MAX_MESSAGE_BODY_BYTES = 10 * 1024 * 1024;
    public static final int MAX_BODY_BYTES = 1024 * 1024;
    public static final int MAX_UPLOAD_BODY_BYTES = 140 * 1024 * 1024;
    public static final int MAX_FILE_BYTES = 50 * 1024 * 1024;
    public static final int MAX_DOWNLOAD_BYTES = 100 * 1024 * 1024;
    public static final int MAX_TEXT_FILE_BYTES = 1024 * 1024;

    public static final int MAX_PROMPT_CHARS = 500_000;
    public static final int MAX_SYSTEM_PROMPT_CHARS = 1_000_000;

    public static final Duration EXEC_TIMEOUT = Duration.ofSeconds(30);
    public static final Duration MAX_EXEC_TIMEOUT = Duration.ofMinutes(5);

    /** What a bridge grants; the server itself runs commands that take longer than a client's. */
    public static final Duration LONGEST_EXEC = Duration.ofHours(24);

    public static final int MAX_EXEC_OUTPUT_BYTES = 5 * 1024 * 1024;

    /** {@code sun_path} holds 108 bytes, the last one zero. */
    public static final int MAX_SOCKET_PATH_BYTES = 107;

    private Limits() {}
}
