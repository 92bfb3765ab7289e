/**
 * Sandboxes: {@link dev.ash.sandbox.SandboxManager} starts and ends the process tree of one, {@link
 * dev.ash.sandbox.SandboxPool} keeps their number within bounds and some of them warm, {@link
 * dev.ash.sandbox.BridgeClient} talks to the bridge inside. Nothing here knows HTTP or SQL.
 */
@NullMarked
package dev.ash.sandbox;

import org.jspecify.annotations.NullMarked;
