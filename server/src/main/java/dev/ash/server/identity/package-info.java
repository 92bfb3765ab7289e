/** Who makes a request, and what the caller may do. */
@NullMarked
package dev.ash.server.identity;

import org.jspecify.annotations.NullMarked;
