/** The folders that terminals work in, outside Ash: what devices may see and do there. */
@NullMarked
package dev.ash.server.terminal;

import org.jspecify.annotations.NullMarked;
