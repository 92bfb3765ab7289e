/**
 * Folders of the host that sessions may work in, instead of in workspaces of their own. One check
 * serves every door.
 */
@NullMarked
package dev.ash.server.project;

import org.jspecify.annotations.NullMarked;
