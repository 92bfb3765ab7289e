/** {@code ash credentials}: manages stored keys of model providers. */
@NullMarked
package dev.ash.cli.credential;

import org.jspecify.annotations.NullMarked;
