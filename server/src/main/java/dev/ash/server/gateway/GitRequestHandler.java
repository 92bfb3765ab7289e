package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.device.Device;
import dev.ash.server.repository.FileDiff;
import dev.ash.server.repository.GitStatus;
import dev.ash.server.repository.Repositories;

/** Handles git requests of devices for the working directory of a session. */
final class GitRequestHandler {
    private final Repositories repositories;

    GitRequestHandler(Repositories repositories) {
        this.repositories = repositories;
    }

    GatewayFrame status(Device device, DeviceMessage.GitStatus message) {
        return status(device, message.session());
    }

    private GatewayFrame status(Device device, SessionId session) {
        return frame(session, repositories.status(device.tenant(), session));
    }

    /** Commits, and returns the status afterwards. */
    GatewayFrame commit(Device device, DeviceMessage.GitCommit message) {
        var session = message.session();
        repositories.commit(device.tenant(), session, message.message(), message.files());
        return status(device, session);
    }

    GatewayFrame diff(Device device, DeviceMessage.GitDiff message) {
        var session = message.session();
        var diffs =
                repositories.diff(device.tenant(), session, message.files(), message.isCached());
        var payload = JsonWriter.object().put("session_id", session.value());
        payload.name("files").open('[');
        diffs.forEach(diff -> payload.value(file(diff)));
        payload.close(']');
        return GatewayFrame.of("git_diff_response", payload);
    }

    private static GatewayFrame frame(SessionId session, GitStatus status) {
        var payload =
                JsonWriter.object()
                        .put("session_id", session.value())
                        .put("branch", status.branch())
                        .put("ahead", status.ahead())
                        .put("behind", status.behind())
                        .put("is_clean", status.isClean());
        payload.name("changes").open('[');
        for (var change : status.changes()) {
            payload.value(
                    JsonWriter.object()
                            .put("path", change.path())
                            .put("status", change.status().wire())
                            .put("additions", change.additions())
                            .put("deletions", change.deletions())
                            .end());
        }
        payload.close(']');
        return GatewayFrame.of("git_status_response", payload);
    }

    private static RawJson file(FileDiff diff) {
        var file =
                JsonWriter.object()
                        .put("path", diff.path())
                        .put("old_path", diff.oldPath())
                        .put("new_path", diff.newPath())
                        .put("status", diff.status().wire())
                        .put("additions", diff.additions())
                        .put("deletions", diff.deletions())
                        .put("binary", diff.binary());
        file.name("hunks").open('[');
        diff.hunks().forEach(hunk -> file.value(hunk(hunk)));
        return file.close(']').end();
    }

    private static RawJson hunk(FileDiff.Hunk hunk) {
        var json =
                JsonWriter.object()
                        .put("header", hunk.header())
                        .put("old_start", hunk.oldStart())
                        .put("old_lines", hunk.oldLines())
                        .put("new_start", hunk.newStart())
                        .put("new_lines", hunk.newLines());
        json.name("lines").open('[');
        for (var line : hunk.lines()) {
            json.value(
                    JsonWriter.object()
                            .put("type", line.kind().wire())
                            .put("content", line.content())
                            .end());
        }
        return json.close(']').end();
    }
}
