/** {@code ash approvals}, and prompts for approvals while a turn is shown. */
@NullMarked
package dev.ash.cli.approval;

import org.jspecify.annotations.NullMarked;
