/** Calls of functions of the C library that Java does not offer. */
@NullMarked
package dev.ash.sandbox.system;

import org.jspecify.annotations.NullMarked;
