/** {@code ash mailbox}: lists the mailboxes on this machine, with or without a server. */
@NullMarked
package dev.ash.cli.mailbox;

import org.jspecify.annotations.NullMarked;
