/** What the sandbox of a session can reach: model APIs, hosts, and tools of the server. */
@NullMarked
package dev.ash.server.session.egress;

import org.jspecify.annotations.NullMarked;
