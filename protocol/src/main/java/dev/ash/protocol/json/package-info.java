/**
 * JSON as bytes: lines in and out, values carried unread, one-level objects. No binding to types.
 */
@NullMarked
package dev.ash.protocol.json;

import org.jspecify.annotations.NullMarked;
