/** Limits of what a tenant and a session may have stored or running, and how long it is kept. */
@NullMarked
package dev.ash.server.quota;

import org.jspecify.annotations.NullMarked;
