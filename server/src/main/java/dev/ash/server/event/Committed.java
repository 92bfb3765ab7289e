package dev.ash.server.event;

import java.util.List;

/** A unit of work after its commit: its events with their numbers, and its value. */
public record Committed<T>(List<LoggedEvent> events, T value) {}
