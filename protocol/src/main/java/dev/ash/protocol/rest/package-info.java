/**
 * The bodies of the REST API as records, shared by server, sdk and cli. Components marked
 * {@code @Nullable} may be absent on the wire. Records grow only at the end.
 */
@NullMarked
package dev.ash.protocol.rest;

import org.jspecify.annotations.NullMarked;
