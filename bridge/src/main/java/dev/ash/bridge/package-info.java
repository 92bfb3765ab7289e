/**
 * The bridge, the program in every sandbox: receives commands from a server over a Unix socket,
 * drives one engine, and sends numbered events. Engine drivers have their own packages and do not
 * use the socket. Depends only on {@code ash-protocol}, to keep its start fast and small.
 */
@NullMarked
package dev.ash.bridge;

import org.jspecify.annotations.NullMarked;
