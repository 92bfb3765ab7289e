/**
 * Types shared by all programs of Ash: identifiers, errors and limits. Depends only on Jackson's
 * streaming core, because the bridge loads this module in every sandbox.
 */
@NullMarked
package dev.ash.protocol;

import org.jspecify.annotations.NullMarked;
