package dev.ash.server.http;

import java.security.KeyStore;

/** The key and certificate of a listener that speaks TLS. */
public record Certificate(KeyStore keys, String password) {}
