/**
 * What every program of Ash agrees on: identifiers, errors, limits. Depends on nothing but
 * Jackson's streaming core, because the bridge loads all of it inside every sandbox.
 */
@NullMarked
package dev.ash.protocol;

import org.jspecify.annotations.NullMarked;
