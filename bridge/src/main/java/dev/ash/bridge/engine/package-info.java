/**
 * What every engine has in common: the small interface the bridge drives it by, the conversation it
 * continues, and a child process that speaks in lines.
 */
@NullMarked
package dev.ash.bridge.engine;

import org.jspecify.annotations.NullMarked;
