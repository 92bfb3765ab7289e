/**
 * Directories of the host that sessions may work in, instead of a workspace of their own. All entry
 * points use the same check.
 */
@NullMarked
package dev.ash.server.project;

import org.jspecify.annotations.NullMarked;
