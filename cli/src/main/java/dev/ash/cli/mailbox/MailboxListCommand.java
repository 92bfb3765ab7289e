package dev.ash.cli.mailbox;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.pair.archive.Manifest;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunDirectories;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash mailbox list}. */
@Command(
        name = "list",
        description = {
            "List the mailboxes on this machine, most recently used first, including those used",
            "only by `ash mcp pair` or other programs. Does not require a server."
        })
final class MailboxListCommand extends AshCommand {
    @Option(
            names = "--repo",
            paramLabel = "DIRECTORY",
            description = "Only mailboxes of the repository of this directory.")
    @Nullable String repo;

    MailboxListCommand(Host host) {
        super(host);
    }

    /** A mailbox; {@code isPair} if a pair run of Ash or of the public tool uses it. */
    private record Row(RunDirectory run, boolean isPair, long messages, Instant lastUsed) {
        String repoId() {
            return String.valueOf(run.path().resolve("..").normalize().getFileName());
        }
    }

    @Override
    public Integer call() {
        var rows = new ArrayList<Row>();
        for (var run : runs()) {
            try {
                rows.add(row(run));
            } catch (IOException e) {
                note("Cannot read %s: %s.".formatted(run.path(), IoReason.of(e)));
            }
        }
        rows.sort(Comparator.comparing(Row::lastUsed).reversed());
        if (json) {
            return print(json(rows), "");
        }
        if (rows.isEmpty()) {
            note("No mailboxes.");
            return ExitCode.OK;
        }
        host.out().println(table(rows));
        return ExitCode.OK;
    }

    private List<RunDirectory> runs() {
        var directories = RunDirectories.of(host.env(), host.home());
        try {
            var all = directories.withMailbox();
            if (repo == null) {
                return all;
            }
            var ofRepository = directories.list(Repository.of(host.resolve(repo)));
            return all.stream().filter(ofRepository::contains).toList();
        } catch (IOException e) {
            throw new CommandException("Cannot read the mailboxes: %s.".formatted(IoReason.of(e)));
        }
    }

    private static Row row(RunDirectory run) throws IOException {
        FileTime changed = Files.getLastModifiedTime(run.path().resolve("bridge.jsonl"));
        return new Row(
                run,
                Files.exists(run.path().resolve(Manifest.FILE)),
                Mailbox.inspect(run.path()).total(),
                changed.toInstant().truncatedTo(ChronoUnit.SECONDS));
    }

    private static String table(List<Row> rows) {
        var table = new Table().row("REPOSITORY", "RUN", "USED BY", "MESSAGES", "LAST USED");
        for (var row : rows) {
            table.row(
                    Printable.line(row.repoId()),
                    Printable.line(row.run().name()),
                    row.isPair() ? "pair" : "programs",
                    row.messages(),
                    row.lastUsed());
        }
        return table.toString();
    }

    private static RawJson json(List<Row> rows) {
        var json = JsonWriter.object().name("mailboxes").open('[');
        for (var row : rows) {
            json.open('{')
                    .put("repoId", row.repoId())
                    .put("run", row.run().name())
                    .put("pair", row.isPair())
                    .put("messages", row.messages())
                    .put("lastUsedAt", row.lastUsed().toString())
                    .put("folder", row.run().path().toString())
                    .close('}');
        }
        return json.close(']').end();
    }
}
