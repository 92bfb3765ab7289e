package dev.ash.server.agent;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.server.http.Spool;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Selects the content of a deployment: a host directory, uploads, or only a system prompt. */
final class DeploymentFiles {
    private final AgentRoots roots;

    DeploymentFiles(AgentRoots roots) {
        this.roots = roots;
    }

    /** {@code spool} has the contents of uploads; skipped paths are added to {@code leftOut}. */
    AgentContent of(
            TenantId tenant, AgentApi.CreateAgent request, Spool spool, List<String> leftOut) {
        var path = request.path();
        var files = request.files();
        var prompt = request.systemPrompt();
        if (prompt != null && prompt.length() > Limits.MAX_SYSTEM_PROMPT_CHARS) {
            throw ApiException.invalid("systemPrompt", "must have at most 1,000,000 characters");
        }
        if (path != null) {
            var directory = roots.admit(tenant, path);
            return tree -> leftOut.addAll(roots.copy(directory, tree));
        }
        if (files == null && prompt == null) {
            throw ApiException.invalid(
                    "path", "set path, files or systemPrompt: an agent needs a CLAUDE.md");
        }
        var uploads = AgentUploads.of(files == null ? List.of() : files, spool);
        leftOut.addAll(uploads.leftOut());
        return tree -> {
            uploads.fill(tree);
            if (prompt != null && uploads.files().stream().noneMatch(DeploymentFiles::isPrompt)) {
                tree.write(AgentContent.PROMPT, prompt.getBytes(StandardCharsets.UTF_8), false);
            }
        };
    }

    private static boolean isPrompt(AgentApi.FileUpload file) {
        return file.path().equals(AgentContent.PROMPT);
    }
}
