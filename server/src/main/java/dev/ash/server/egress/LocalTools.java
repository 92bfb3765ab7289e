package dev.ash.server.egress;

import java.io.IOException;
import java.util.Optional;

/** Tools of the server that one sandbox may call with MCP over HTTP. */
public interface LocalTools {
    /** A response to a call; {@code onUndelivered} runs if it cannot be sent. */
    record Response(int status, String session, Optional<byte[]> body, Runnable onUndelivered) {}

    /** Blocks until the call has a result. */
    Response post(Optional<String> session, byte[] body) throws IOException;
}
