/**
 * What a person at a distance wants to see of the folder that a session works in: its files by
 * line, and what git says of it. Git, which runs whatever a repository tells it to, runs inside the
 * session's sandbox, or for a terminal session as a confined command.
 */
@NullMarked
package dev.ash.server.repository;

import org.jspecify.annotations.NullMarked;
