/**
 * What a session may use and reach: wished for by its client and its agent, granted by the server.
 */
@NullMarked
package dev.ash.server.wall;

import org.jspecify.annotations.NullMarked;
