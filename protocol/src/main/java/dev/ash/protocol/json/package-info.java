/**
 * JSON as bytes: readers and writers of JSON lines, unparsed values, and objects parsed one level
 * deep. No data binding.
 */
@NullMarked
package dev.ash.protocol.json;

import org.jspecify.annotations.NullMarked;
