/** What other features and the REST API see of sessions. */
@NullMarked
package dev.ash.server.session;

import org.jspecify.annotations.NullMarked;
