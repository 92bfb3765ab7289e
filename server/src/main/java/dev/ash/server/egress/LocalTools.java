package dev.ash.server.egress;

import java.io.IOException;
import java.util.Optional;

/** Tools of the server itself that one sandbox may call, by MCP over HTTP. */
public interface LocalTools {
    /** What to send; {@code undelivered} is run if it could not be. */
    record Answer(int status, String session, Optional<byte[]> body, Runnable undelivered) {}

    /** Blocks for as long as the call waits. */
    Answer post(Optional<String> session, byte[] body) throws IOException;
}
