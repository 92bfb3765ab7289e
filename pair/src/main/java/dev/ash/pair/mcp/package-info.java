/**
 * The MCP tools of a pair, independent of the transport: {@link dev.ash.pair.mcp.McpConnection}
 * handles a request and returns at most one response. The {@link dev.ash.pair.mcp.ToolUser} of the
 * connection identifies the caller, never the content of a request.
 */
@NullMarked
package dev.ash.pair.mcp;

import org.jspecify.annotations.NullMarked;
