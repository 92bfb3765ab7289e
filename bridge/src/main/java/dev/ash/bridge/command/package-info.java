/**
 * The driver of programs that get a prompt, print text and exit: one process for each turn, without
 * tools, questions or a conversation that Ash could observe.
 */
@NullMarked
package dev.ash.bridge.command;

import org.jspecify.annotations.NullMarked;
