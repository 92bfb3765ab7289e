/** The door for devices: phones and browsers that watch, steer and approve over a WebSocket. */
@NullMarked
package dev.ash.server.gateway;

import org.jspecify.annotations.NullMarked;
