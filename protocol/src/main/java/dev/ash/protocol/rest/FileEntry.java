package dev.ash.protocol.rest;

/** A file of an agent or a workspace. */
public record FileEntry(String path, long size, String modifiedAt) {}
