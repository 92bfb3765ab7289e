/**
 * What every engine has in common: the small interface the bridge drives it by, the conversation it
 * continues, a child process that speaks in lines, with one turn at a time and the questions it
 * waits on, and the shapes of what is said.
 */
@NullMarked
package dev.ash.bridge.engine;

import org.jspecify.annotations.NullMarked;
