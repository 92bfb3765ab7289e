package dev.ash.server.repository;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.rest.SessionApi;

/** Runs a shell command in the sandbox of a session, in its working directory. */
public interface Shell {
    ExecResult run(TenantId tenant, SessionId session, SessionApi.Exec command);
}
