/**
 * Request and response bodies of the REST API as records, shared by server, SDK and CLI. Components
 * marked {@code @Nullable} may be absent in JSON. Add new components only at the end.
 */
@NullMarked
package dev.ash.protocol.rest;

import org.jspecify.annotations.NullMarked;
