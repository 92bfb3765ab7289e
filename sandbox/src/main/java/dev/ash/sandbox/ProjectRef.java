package dev.ash.sandbox;

import dev.ash.protocol.TenantId;

/**
 * Names the directory of the runner's host that a tenant's sandbox works in, instead of a workspace
 * of its own.
 */
public record ProjectRef(TenantId tenant, String path) {}
