/** Stored keys of model providers, used for sessions but never visible to them. */
@NullMarked
package dev.ash.server.credential;

import org.jspecify.annotations.NullMarked;
