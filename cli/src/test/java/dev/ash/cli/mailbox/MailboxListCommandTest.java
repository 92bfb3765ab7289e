package dev.ash.cli.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.pair.mailbox.Draft;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mailbox.MessageType;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MailboxListCommandTest {
    @TempDir Path root;

    @Test
    void listsMailboxesWithoutAServer() throws IOException {
        use("shop", "1", "2026-11-17T10:00:00Z");
        var named = use("shop", "nightly", "2026-11-17T12:00:00Z");
        var pair = use("other", "7", "2026-11-17T11:00:00Z");
        Files.writeString(pair.resolve("manifest.json"), "{}");

        var result = new Ash(root).run("mailbox", "list");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out().lines().map(MailboxListCommandTest::withoutHashAndPadding))
                .containsExactly(
                        "REPOSITORY RUN USED BY MESSAGES LAST USED",
                        "shop nightly programs 2 2026-11-17T12:00:00Z",
                        "other 7 pair 2 2026-11-17T11:00:00Z",
                        "shop 1 programs 2 2026-11-17T10:00:00Z");
        assertThat(new Ash(root).run("mailbox", "list", "--repo", "other").out().lines())
                .hasSize(2);
        assertThat(new Ash(root).run("mailbox", "list", "--json").out())
                .startsWith("{\"mailboxes\":[{\"repoId\":\"shop-")
                .contains(
                        "\"run\":\"nightly\",\"pair\":false,\"messages\":2,\"lastUsedAt\":\"2026-11-17T12:00:00Z\",\"folder\":\""
                                + named);
    }

    @Test
    void doesNotChangeListedMailboxes() throws IOException {
        var directory = root.resolve("home/.agentpair/runs/0123456789abcdef/3");
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("bridge.jsonl"), "{\"type\":\"chat\"}\n{\"torn");

        assertThat(new Ash(root).run("mailbox", "list").out()).contains("0123456789abcdef");

        assertThat(directory.resolve("bridge.jsonl")).hasContent("{\"type\":\"chat\"}\n{\"torn");
        assertThat(directory.resolve("bridge.lock")).doesNotExist();
    }

    @Test
    void reportsEmptyListOnStandardError() {
        var result = new Ash(root).run("mailbox", "list");

        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isEqualTo("No mailboxes.\n");
        assertThat(new Ash(root).run("mailbox", "list", "--json").out())
                .isEqualTo("{\"mailboxes\":[]}\n");
    }

    private static String withoutHashAndPadding(String line) {
        return line.replaceAll("-[0-9a-f]{12}", "").replaceAll(" +", " ");
    }

    private Path use(String repository, String run, String time) throws IOException {
        var directories = RunDirectories.of(Map.of(), root.resolve("home"));
        var directory = Files.createDirectories(root.resolve(repository));
        var runDirectory = directories.open(Repository.of(directory), run);
        try (var mailbox = Mailbox.open(runDirectory.path(), runDirectory.runId())) {
            mailbox.append(Draft.of(MessageType.CHAT, "claude", "codex", "one"));
            mailbox.append(Draft.of(MessageType.CHAT, "codex", "claude", "two"));
        }
        Files.setLastModifiedTime(
                runDirectory.path().resolve("bridge.jsonl"), FileTime.from(Instant.parse(time)));
        return runDirectory.path();
    }
}
