package dev.ash.examples.qabot;

import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.AshException;
import dev.ash.sdk.AssistantText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Deploys an agent, asks it questions and prints its answers. */
public final class QaBot {
    private static final String AGENT = "qa-bot";

    private final AshClient ash;
    private final PrintStream out;

    QaBot(AshClient ash, PrintStream out) {
        this.ash = ash;
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        var server = ServerAddress.find(System.getenv());
        var directory =
                Path.of(System.getenv().getOrDefault("QA_BOT_AGENT", "examples/qa-bot/agent"));
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try {
            var bot = new QaBot(server.client(), out);
            bot.answer(directory, args.length > 0 ? List.of(args) : standardInput());
        } catch (AshException | IllegalArgumentException e) {
            System.err.println("qa-bot: " + e.getMessage());
            System.exit(1);
        }
    }

    /** Asks all questions in one session, so that a question can refer to earlier ones. */
    void answer(Path directory, List<String> questions) {
        ash.agents().deploy(AGENT, directory);
        var session = ash.sessions().create(AGENT);
        try {
            for (var question : questions) {
                out.println("Q: " + question);
                out.println("A: " + ask(session.id(), question));
            }
        } finally {
            ash.sessions().end(session.id());
        }
    }

    private String ask(String session, String question) {
        var answer = new ArrayList<String>();
        try (var events = ash.sessions().send(session, question)) {
            for (var event : events) {
                switch (event) {
                    case AshStreamEvent.Message(var data, _) -> answer.add(AssistantText.of(data));
                    case AshStreamEvent.Failed(var error, _) -> answer.add("(" + error + ")");
                    default -> {} // other events are not part of the answer
                }
            }
        }
        answer.removeIf(String::isBlank);
        return String.join("\n", answer);
    }

    private static List<String> standardInput() throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        return in.lines().filter(line -> !line.isBlank()).toList();
    }
}
