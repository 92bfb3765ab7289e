package dev.ash.server.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.pair.PeerName;
import dev.ash.pair.archive.Manifest;
import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.loop.Mode;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.rest.PairApi;
import dev.ash.server.pair.PairRequest.Candidates;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PairRequestTest {
    private static PairRequest request(
            @Nullable String worker,
            @Nullable String reviewer,
            @Nullable String mode,
            String... names) {
        return PairRequest.of(
                PairApi.CreatePair.builder("/r", "do it")
                        .mode(mode)
                        .worker(worker)
                        .reviewer(reviewer)
                        .build(),
                new Candidates(List.of(names), EngineTable.builtIn()));
    }

    @Test
    void usesDefaultEngines() {
        var request = request(null, null, null, "claude-code", "codex", "demo");

        assertThat(request.spec().worker()).isEqualTo(new PeerName("codex"));
        assertThat(request.spec().reviewer()).isEqualTo(new PeerName("claude"));
        assertThat(request.reviewer().orElseThrow().agent()).isEqualTo("claude-code");
    }

    @Test
    void replacesUnavailableDefaultEngines() {
        var request = request(null, null, null, "demo");

        assertThat(request.spec().worker()).isEqualTo(new PeerName("demo"));
        assertThat(request.spec().reviewer()).isEqualTo(new PeerName("demo-2"));
    }

    @Test
    void pairsAnyTwoEngines() {
        var request = request("opencode", "gemini-cli", null, "opencode", "gemini");

        assertThat(request.spec().worker()).isEqualTo(new PeerName("opencode"));
        assertThat(request.spec().reviewer()).isEqualTo(new PeerName("gemini"));
        assertThat(request.reviewer().orElseThrow().agent()).isEqualTo("gemini");
    }

    @Test
    void derivesPeerNamesFromAgentNames() {
        var request = request("My_Bot", "human", null, "My_Bot", "human");

        assertThat(request.spec().worker()).isEqualTo(new PeerName("my_bot"));
        assertThat(request.spec().reviewer()).isEqualTo(new PeerName("peer-human"));
    }

    @Test
    void d31_rejectsUnknownEnginesAndListsAvailableOnes() {
        assertThatThrownBy(() -> request("gpt", null, null, "claude-code", "demo"))
                .hasMessageContaining("worker", "gpt", "claude-code, demo");
        assertThatThrownBy(() -> request(null, null, "trio", "demo")).hasMessageContaining("mode");
    }

    @Test
    void assignsPeersByMode() {
        assertThat(request(null, null, "single", "demo").reviewer()).isEmpty();
        assertThat(request(null, null, "review-only", "demo").worker()).isEmpty();
        assertThat(request(null, null, "review-only", "demo").spec().mode())
                .isEqualTo(Mode.REVIEW_ONLY);
    }

    @Test
    void d22_showsRunsWithoutThreadAsInterrupted() {
        var request = request(null, null, null, "demo");
        var setup =
                new RunSetup(
                        1,
                        "t",
                        "/r",
                        "r-1",
                        request.spec(),
                        "b",
                        "agentpair/run-1",
                        null,
                        "now",
                        null);
        var run = new Manifest.AshRun(setup, null, null, false, new Progress());
        var directory = new RunDirectory(Path.of("/x/r-1/1"), "1", 1, false);

        assertThat(PairView.of(directory, run, true).state()).isEqualTo("running");
        assertThat(PairView.of(directory, run, false).state()).isEqualTo("interrupted");

        run.progress().end(Outcome.AGENT_FAILED, "no key");
        assertThat(PairView.of(directory, run, true).state())
                .as("while the report is written")
                .isEqualTo("running");
        assertThat(PairView.of(directory, run, false).state()).isEqualTo("over");
    }
}
