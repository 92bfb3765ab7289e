/** {@code ash mcp}: MCP servers that engines start. */
@NullMarked
package dev.ash.cli.mcp;

import org.jspecify.annotations.NullMarked;
