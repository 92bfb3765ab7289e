/**
 * The system calls that a sandbox is refused: a table, and the program for the kernel that is made
 * of it. Nothing here starts a process.
 */
@NullMarked
package dev.ash.sandbox.seccomp;

import org.jspecify.annotations.NullMarked;
