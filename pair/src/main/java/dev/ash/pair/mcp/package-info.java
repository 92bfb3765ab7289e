/**
 * The MCP tools of a pair, over any transport: {@link dev.ash.pair.mcp.McpConnection} takes one
 * request and gives at most one answer. Who the caller is comes from the {@link
 * dev.ash.pair.mcp.ToolUser} that the connection was made with, never from what it says.
 */
@NullMarked
package dev.ash.pair.mcp;

import org.jspecify.annotations.NullMarked;
