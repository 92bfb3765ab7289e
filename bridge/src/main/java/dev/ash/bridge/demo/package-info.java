/** An engine without a model: it needs no key and no network, and speaks in Claude's shapes. */
@NullMarked
package dev.ash.bridge.demo;

import org.jspecify.annotations.NullMarked;
