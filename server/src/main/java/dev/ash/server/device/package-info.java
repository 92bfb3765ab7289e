/** Devices that were paired, and what each of them has seen. */
@NullMarked
package dev.ash.server.device;

import org.jspecify.annotations.NullMarked;
