/** Shares the processors fairly among tenants. */
@NullMarked
package dev.ash.server.processor;

import org.jspecify.annotations.NullMarked;
