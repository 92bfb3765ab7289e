package dev.ash.protocol;

import java.time.Duration;

/** Ports, timeouts and size limits that several programs share. */
public final class Limits {
    public static final int DEFAULT_PORT = 4100;
    public static final String DEFAULT_SERVER_URL = "http://localhost:4100";

    /** Maximum time from the start of a bridge to its {@code ready} event. */
    public static final Duration READY_TIMEOUT = Duration.ofSeconds(10);

    /** Port of the egress relay on the loopback interface of a sandbox. */
    public static final int EGRESS_PORT = 3128;

    /** A client that reads nothing for this time is disconnected. */
    public static final Duration STALLED_READER_TIMEOUT = Duration.ofSeconds(30);

    /** Interval of comments on an idle event stream. */
    public static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(15);

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

    /** Maximum timeout in a bridge; the server's own commands may run longer than a client's. */
    public static final Duration MAX_BRIDGE_EXEC_TIMEOUT = Duration.ofHours(24);

    public static final int MAX_EXEC_OUTPUT_BYTES = 5 * 1024 * 1024;

    /** {@code sun_path} has 108 bytes, including the terminating zero. */
    public static final int MAX_SOCKET_PATH_BYTES = 107;

    private Limits() {}
}
