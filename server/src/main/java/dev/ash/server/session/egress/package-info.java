/** The network access of a session's sandbox: model APIs, hosts, and tools of the server. */
@NullMarked
package dev.ash.server.session.egress;

import org.jspecify.annotations.NullMarked;
