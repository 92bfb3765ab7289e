package dev.ash.server.pair;

/**
 * What a clone must know of a history before it can take it up.
 *
 * @param isSha256 whether its names are of that kind, and not SHA-1
 * @param shallow the commits whose parents are missing, a line each; empty for a whole history
 */
record HistoryFormat(boolean isSha256, String shallow) {}
