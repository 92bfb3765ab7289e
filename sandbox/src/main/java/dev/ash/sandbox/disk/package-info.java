/**
 * Limits disk space by a file system of limited size for each sandbox, in an image file, on hosts
 * that can mount them.
 */
@NullMarked
package dev.ash.sandbox.disk;

import org.jspecify.annotations.NullMarked;
