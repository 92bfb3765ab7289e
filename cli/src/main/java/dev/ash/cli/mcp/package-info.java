/** {@code ash mcp}: servers of tools that engines start. */
@NullMarked
package dev.ash.cli.mcp;

import org.jspecify.annotations.NullMarked;
