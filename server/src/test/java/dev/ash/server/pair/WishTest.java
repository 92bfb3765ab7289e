package dev.ash.server.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.pair.PeerName;
import dev.ash.pair.archive.Manifest;
import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.loop.Mode;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.run.RunFolder;
import dev.ash.protocol.rest.PairApi;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a client asks for, checked and completed. */
class WishTest {
    private static Wish wish(
            @Nullable String worker,
            @Nullable String reviewer,
            @Nullable String mode,
            String... names) {
        return Wish.of(
                PairApi.CreatePair.builder("/r", "do it")
                        .mode(mode)
                        .worker(worker)
                        .reviewer(reviewer)
                        .build(),
                List.of(names));
    }

    @Test
    void withoutAWishTheUsualTwoSitThere() {
        var wish = wish(null, null, null, "claude-code", "codex", "demo");

        assertThat(wish.spec().worker()).isEqualTo(new PeerName("codex"));
        assertThat(wish.spec().reviewer()).isEqualTo(new PeerName("claude"));
        assertThat(wish.reviewer().orElseThrow().agent()).isEqualTo("claude-code");
    }

    @Test
    void whatIsNotInstalledIsReplaced() {
        var wish = wish(null, null, null, "demo");

        assertThat(wish.spec().worker()).isEqualTo(new PeerName("demo"));
        assertThat(wish.spec().reviewer()).isEqualTo(new PeerName("demo-2"));
    }

    @Test
    void agentsKeepTheirNamesAsFarAsPeersCanHaveThem() {
        var wish = wish("My_Bot", "human", null, "My_Bot", "human");

        assertThat(wish.spec().worker()).isEqualTo(new PeerName("my_bot"));
        assertThat(wish.spec().reviewer()).isEqualTo(new PeerName("peer-human"));
    }

    @Test
    void d31_unknownEnginesAreRefusedWithThoseThatThereAre() {
        assertThatThrownBy(() -> wish("gpt", null, null, "claude-code", "demo"))
                .hasMessageContaining("worker", "gpt", "claude-code, demo");
        assertThatThrownBy(() -> wish(null, null, "trio", "demo")).hasMessageContaining("mode");
    }

    @Test
    void aModeHasItsSeats() {
        assertThat(wish(null, null, "single", "demo").reviewer()).isEmpty();
        assertThat(wish(null, null, "review-only", "demo").worker()).isEmpty();
        assertThat(wish(null, null, "review-only", "demo").spec().mode())
                .isEqualTo(Mode.REVIEW_ONLY);
    }

    @Test
    void d22_aRunThatNobodyDrivesIsNotShownAsRunning() {
        var wish = wish(null, null, null, "demo");
        var setup =
                new RunSetup(
                        1,
                        "t",
                        "/r",
                        "r-1",
                        wish.spec(),
                        "b",
                        "agentpair/run-1",
                        null,
                        "now",
                        null);
        var run = new Manifest.Ours(setup, null, null, false, new Progress());
        var folder = new RunFolder(Path.of("/x/r-1/1"), "1", 1, false);

        assertThat(PairView.of(folder, run, true).state()).isEqualTo("running");
        assertThat(PairView.of(folder, run, false).state()).isEqualTo("interrupted");

        run.progress().end(Outcome.AGENT_FAILED, "no key");
        assertThat(PairView.of(folder, run, true).state())
                .as("its report comes")
                .isEqualTo("running");
        assertThat(PairView.of(folder, run, false).state()).isEqualTo("over");
    }
}
