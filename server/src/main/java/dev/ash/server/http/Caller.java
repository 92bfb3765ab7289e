package dev.ash.server.http;

import dev.ash.protocol.TenantId;

/** Whose API key a request carried. */
public record Caller(TenantId tenant, String keyId) {}
