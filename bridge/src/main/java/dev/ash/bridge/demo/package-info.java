/** The driver of the demo, an engine without a model, key or network. */
@NullMarked
package dev.ash.bridge.demo;

import org.jspecify.annotations.NullMarked;
