/** The messages between a device and the gateway. */
@NullMarked
package dev.ash.protocol.gateway;

import org.jspecify.annotations.NullMarked;
