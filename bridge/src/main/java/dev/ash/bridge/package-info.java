/**
 * The program inside a sandbox: one Unix socket to its server, one engine, commands in and numbered
 * events out. Engines live in packages of their own and know nothing of sockets; nothing here may
 * load a library beyond {@code ash-protocol}, because every sandbox pays for it.
 */
@NullMarked
package dev.ash.bridge;

import org.jspecify.annotations.NullMarked;
