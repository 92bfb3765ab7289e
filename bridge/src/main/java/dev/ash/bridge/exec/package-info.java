/** Shell commands in the workspace: bounded in time and output, and gone with their whole tree. */
@NullMarked
package dev.ash.bridge.exec;

import org.jspecify.annotations.NullMarked;
