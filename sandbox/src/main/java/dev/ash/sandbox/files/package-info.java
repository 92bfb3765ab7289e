/**
 * The files of sandboxes: their directories and owners, the copy of the agent, {@code /etc}, their
 * output, and the programs that run in them. Internal to this module.
 */
@NullMarked
package dev.ash.sandbox.files;

import org.jspecify.annotations.NullMarked;
