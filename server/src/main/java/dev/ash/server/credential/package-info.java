/** Keys of model providers, stored for sessions to use and never to see. */
@NullMarked
package dev.ash.server.credential;

import org.jspecify.annotations.NullMarked;
