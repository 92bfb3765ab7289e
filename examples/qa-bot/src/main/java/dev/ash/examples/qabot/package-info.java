/** An example program that uses the SDK. */
@NullMarked
package dev.ash.examples.qabot;

import org.jspecify.annotations.NullMarked;
