package dev.ash.server.agent;

import dev.ash.protocol.GitNames;
import dev.ash.protocol.rest.AgentApi.FileUpload;
import dev.ash.server.http.Spool;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.Uploads;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Files that a client uploads for an agent.
 *
 * @param files the accepted files
 * @param leftOut the paths of skipped files: those in a git directory
 * @param spool contains the contents of the files
 */
record AgentUploads(List<FileUpload> files, List<String> leftOut, Spool spool)
        implements AgentContent {
    static AgentUploads of(List<FileUpload> files, Spool spool) {
        var parts =
                files.stream()
                        .collect(
                                Collectors.partitioningBy(
                                        file -> GitNames.isInGitDirectory(file.path())));
        return new AgentUploads(
                parts.getOrDefault(false, List.of()),
                parts.getOrDefault(true, List.of()).stream().map(FileUpload::path).toList(),
                spool);
    }

    @Override
    public void fill(FileTree tree) {
        files.forEach(file -> Uploads.write(tree, file, spool));
    }
}
