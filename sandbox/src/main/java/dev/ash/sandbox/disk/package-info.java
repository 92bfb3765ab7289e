/**
 * The disk space of sandboxes: a file system of limited size for each, where the host can mount
 * one, and the reserve of free space that no sandbox may use up.
 */
@NullMarked
package dev.ash.sandbox.disk;

import org.jspecify.annotations.NullMarked;
