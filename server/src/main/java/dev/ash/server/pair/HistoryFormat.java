package dev.ash.server.pair;

/**
 * The format of a history, which a clone needs before it fetches.
 *
 * @param isSha256 whether commit hashes are SHA-256 instead of SHA-1
 * @param shallow the commits whose parents are missing, one per line; empty for a complete history
 */
record HistoryFormat(boolean isSha256, String shallow) {}
