/**
 * Runs sandboxes: {@link dev.ash.sandbox.SandboxManager} starts and terminates their processes,
 * {@link dev.ash.sandbox.SandboxPool} limits how many run and keeps some of them warm, and {@link
 * dev.ash.sandbox.BridgeClient} talks to the bridge inside. This package does not depend on HTTP or
 * SQL.
 */
@NullMarked
package dev.ash.sandbox;

import org.jspecify.annotations.NullMarked;
