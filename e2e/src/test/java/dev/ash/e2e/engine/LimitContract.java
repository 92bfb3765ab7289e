package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.CanarySearch;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Budgets and keys. */
interface LimitContract extends ContractPart {
    @Test
    @Proves({Property.TOKENS, Property.LIMIT_NOTICE})
    default void tokenLimitEndsCalls() {
        assertEndsCalls("maxTokens", 10);
    }

    @Test
    @Proves(Property.COST)
    default void costLimitEndsCalls() {
        assertEndsCalls("maxBudgetUsd", 0.000_001);
    }

    private void assertEndsCalls(String limit, Number value) {
        server().inNewSession(
                        Map.of(limit, value),
                        session -> {
                            // The call that exceeds a limit is the first one, or one for a title.
                            var frames = session.ask("SAY:paid 1");
                            if (Frame.said(frames).equals("paid 1")) {
                                frames = session.ask("SAY:paid 2");
                            }

                            assertThat(Frame.said(frames)).doesNotContain("paid");
                            assertThat(frames.toString())
                                    .contains(
                                            engine().can(Property.LIMIT_NOTICE)
                                                    ? limit
                                                    : engine().answerInstead(
                                                                    Property.LIMIT_NOTICE));
                            session.ask("SAY:unpaid");
                            assertThat(server().model().turns())
                                    .noneMatch(turn -> turn.everything().contains("SAY:unpaid"));
                        });
    }

    @Test
    @Proves(Property.KEY)
    default void onlyProviderReceivesKey() {
        server().inNewSession(Map.of(), this::assertHasNoKey);
    }

    private void assertHasNoKey(TestSession session) {
        var frames = session.ask(engine().run("python3 dump.py") + "\nSAY:dumped");

        assertThat(Frame.said(frames)).isEqualTo("dumped");
        var key = engine().key();
        assertThat(server().model().turns())
                .isNotEmpty()
                .allSatisfy(
                        call ->
                                assertThat(call.headers())
                                        .containsEntry(key.header(), key.headerValue()));
        var workspace = session.sandbox().resolve("workspace");
        assertThat(CanarySearch.files(workspace, List.of("=sk-ash-")))
                .as("files of a session that dumped its environment")
                .contains(workspace.resolve("dump.txt").toString());
        assertThat(CanarySearch.files(workspace, List.of("searched")))
                .as("files of a session that searched readable memory")
                .contains(workspace.resolve("memory.txt").toString());
        for (var each : ProviderKey.values()) {
            assertThat(CanarySearch.files(session.sandbox(), CanarySearch.spellings(each.value())))
                    .as("files of the sandbox with the key of " + each)
                    .isEmpty();
            assertThat(session.events().toString()).doesNotContain(each.value());
            if (each != key) {
                assertThat(server().model().requests())
                        .noneMatch(call -> call.headers().toString().contains(each.value()));
            }
        }
    }
}
