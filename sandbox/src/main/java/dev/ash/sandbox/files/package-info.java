/**
 * Everything on disk that a sandbox sees or leaves: its folders and their owner, the copy of its
 * agent, its {@code /etc}, and the programs that run in it. Internal to this module.
 */
@NullMarked
package dev.ash.sandbox.files;

import org.jspecify.annotations.NullMarked;
