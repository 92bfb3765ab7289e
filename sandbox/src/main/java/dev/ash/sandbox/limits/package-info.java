/**
 * How much of the machine a sandbox uses, and how it is held to that: control groups of the kernel,
 * the size of its folders, and what is known of it after a limit was hit. Nothing here knows of
 * bridges or starts a process.
 */
@NullMarked
package dev.ash.sandbox.limits;

import org.jspecify.annotations.NullMarked;
