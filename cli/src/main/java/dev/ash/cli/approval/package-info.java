/** {@code ash approvals}, and the questions that come up while a turn is shown. */
@NullMarked
package dev.ash.cli.approval;

import org.jspecify.annotations.NullMarked;
