package dev.ash.server.http;

/** A query parameter as the documentation shows it; {@code type} is a JSON schema type. */
public record QueryParam(String name, String type, String description) {}
