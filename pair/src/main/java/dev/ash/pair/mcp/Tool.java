package dev.ash.pair.mcp;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;

/** One tool: how clients are told of it, and what it does. */
interface Tool {
    String name();

    /** Its entry in {@code tools/list}. */
    RawJson definition();

    /** How an error of it begins: {@code send failed: …}. */
    String failure();

    /** Throws {@code ApiException} with a sentence for what the caller got wrong. */
    ToolResult call(RawJson arguments, PendingCall call) throws IOException, InterruptedException;
}
