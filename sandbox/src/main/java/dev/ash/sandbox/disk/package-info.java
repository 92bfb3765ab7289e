/**
 * File systems of limited size for sandboxes, each in an image file, where the host can mount them.
 */
@NullMarked
package dev.ash.sandbox.disk;

import org.jspecify.annotations.NullMarked;
