/** {@code ash devices}: phones and browsers that may steer sessions. */
@NullMarked
package dev.ash.cli.device;

import org.jspecify.annotations.NullMarked;
