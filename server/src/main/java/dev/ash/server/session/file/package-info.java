/** The files and the output of a session's sandbox. */
@NullMarked
package dev.ash.server.session.file;

import org.jspecify.annotations.NullMarked;
