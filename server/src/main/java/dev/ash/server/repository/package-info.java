/**
 * Files and git status of the working directory of a session, for devices. Git executes programs
 * configured by the repository, so it runs inside the session's sandbox, or for a terminal session
 * as a confined command.
 */
@NullMarked
package dev.ash.server.repository;

import org.jspecify.annotations.NullMarked;
