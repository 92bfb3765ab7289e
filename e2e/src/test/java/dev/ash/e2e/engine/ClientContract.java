package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.Programs;
import dev.ash.e2e.Terminal;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The command-line client, which is the same for all engines. */
interface ClientContract extends ContractPart {
    String INTERRUPT = "\u0003";
    String END_OF_FILE = "\u0004";

    @Test
    @Proves(Property.CHAT)
    default void chatAnswersApprovesAndInterrupts() {
        var command =
                String.join(" ", Programs.cli()) + " chat --mode ask --end " + ContractServer.AGENT;
        var directory = server().ash().directory().path();
        var api = server().ash().api();
        var environment =
                Map.of(
                        "HOME", directory.toString(),
                        "ASH_SERVER_URL", api.base(),
                        "ASH_API_KEY", api.key());
        try (var terminal = Terminal.run(command, directory, environment)) {
            terminal.awaitText("Ctrl-D exits.");
            terminal.type("SAY:shown in the chat\r");
            terminal.awaitText("shown in the chat");
            terminal.awaitText("shown in the chat"); // first the typed line, then the answer

            terminal.type(engine().run("echo by-chat > chat.txt; cat chat.txt") + "\r");
            terminal.awaitText("[e]dit");
            terminal.type("y\r");
            terminal.awaitText("tool said: ");

            terminal.type("HOLD\r");
            terminal.awaitText("holding");
            terminal.type(INTERRUPT);
            terminal.awaitText("(interrupted)");
            terminal.type(END_OF_FILE);
            await().atMost(Duration.ofSeconds(30)).until(terminal::hasExited);
        }
        server().model().release();
        var results = server().model().turns().stream().flatMap(t -> t.toolResults().stream());
        assertThat(results).anyMatch(result -> result.text().contains("by-chat"));
    }
}
