/** An example of a program on the SDK; nothing else depends on it. */
@NullMarked
package dev.ash.examples.qabot;

import org.jspecify.annotations.NullMarked;
