package dev.ash.pair.mcp;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;

/** An MCP tool. */
interface Tool {
    String name();

    /** Returns its entry in {@code tools/list}. */
    RawJson definition();

    /** Returns the prefix of its error messages, such as {@code send failed: }. */
    String errorPrefix();

    /** Executes a call; throws {@code ApiException} for invalid arguments. */
    ToolResult call(RawJson arguments, PendingCall call) throws IOException, InterruptedException;
}
