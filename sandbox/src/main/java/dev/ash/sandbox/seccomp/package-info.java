/**
 * The allowlist of system calls for sandboxes: a table, and the BPF program that is generated from
 * it. Nothing here starts a process.
 */
@NullMarked
package dev.ash.sandbox.seccomp;

import org.jspecify.annotations.NullMarked;
