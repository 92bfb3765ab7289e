/** The engines that sessions can use on this server. */
@NullMarked
package dev.ash.server.session.engine;

import org.jspecify.annotations.NullMarked;
