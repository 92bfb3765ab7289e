/** Runs shell commands in the workspace, with limits on time and output. */
@NullMarked
package dev.ash.bridge.exec;

import org.jspecify.annotations.NullMarked;
