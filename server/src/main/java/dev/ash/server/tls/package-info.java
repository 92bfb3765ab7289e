/** The keys and certificates of the server's TLS listeners. */
@NullMarked
package dev.ash.server.tls;

import org.jspecify.annotations.NullMarked;
