package dev.ash.cli.pair;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.server.NeededServer;
import dev.ash.cli.session.LimitOptions;
import dev.ash.cli.session.PermissionModeOption;
import dev.ash.cli.session.ReachOptions;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.PairApi;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "pair",
        description = "One agent works on a repository, another reviews, until it is right.",
        customSynopsis = {"ash pair [OPTIONS] TASK", "       ash pair COMMAND RUN …"},
        footer = {
            "",
            "Commands for runs: list, show, watch, say, answer, pause, stop, resume, log,",
            "diff, report, clean; each has --help. A task that is such a word: ash pair -- list",
            "",
            "The work is done in private clones, on the last commit, and comes back as the",
            "branch agentpair/run-N. Your working tree is not touched. Ctrl-C leaves the run",
            "going; `ash pair watch` follows it again, `ash pair stop` stops it.",
            "",
            "Exit codes of a run: 0 completed, 10 rejected, 11 stalemate, 12 max_rounds,",
            "13 budget_exhausted, 14 timeout, 15 cancelled, 16 agent_failed.",
            "With --json, the first and the last line is the run, those between one event each."
        })
final class PairStartCommand extends AshCommand {
    @Mixin PairTask task = new PairTask();

    @Option(
            names = "--repo",
            paramLabel = "FOLDER",
            description = "A folder of the repository, by default this one.")
    String repo = "";

    @Option(
            names = "--worker",
            paramLabel = "AGENT",
            description =
                    "An engine or a deployed agent; by default "
                            + PairApi.DEFAULT_WORKER
                            + ", if it is there.")
    @Nullable String worker;

    @Option(
            names = "--reviewer",
            paramLabel = "AGENT",
            description =
                    "By default "
                            + PairApi.DEFAULT_REVIEWER
                            + ", if it is there. May be the same as the worker.")
    @Nullable String reviewer;

    @Option(names = "--worker-model", paramLabel = "MODEL", description = "The worker's model.")
    @Nullable String workerModel;

    @Option(names = "--reviewer-model", paramLabel = "MODEL", description = "The reviewer's.")
    @Nullable String reviewerModel;

    @Option(
            names = "--proof",
            paramLabel = "COMMAND",
            description = "Must end with 0 before a review, such as \"mvn test\".")
    @Nullable String proof;

    @Option(names = "--plan", description = "Make a plan and have it reviewed first.")
    boolean plan;

    @Option(names = "--single", description = "No reviewer; the worker checks its own work.")
    boolean single;

    @Option(
            names = "--review-only",
            description = "No worker; review what was changed since --base.")
    boolean reviewOnly;

    @Option(
            names = "--base",
            paramLabel = "COMMIT",
            description = "Where to begin: HEAD; HEAD^ with --review-only.")
    @Nullable String base;

    @Option(
            names = "--turn-timeout",
            paramLabel = "TIME",
            converter = Span.Reader.class,
            description = "Of one turn of a peer, and of a proof.")
    @Nullable Span turnTimeout;

    @Mixin PairBudgetOptions budget = new PairBudgetOptions();

    @Option(
            names = "--stalemate-rounds",
            paramLabel = "N",
            description = "Give up after so many rounds in which nothing moved.")
    @Nullable Integer stalemateRounds;

    @Option(
            names = "--done",
            paramLabel = "LINE",
            description = "What the worker says when it is done, by default DONE.")
    @Nullable String done;

    @Option(
            names = "--ask",
            negatable = true,
            description = "Whether you decide what the peers disagree on; by default in terminals.")
    @Nullable Boolean ask;

    @Mixin PermissionModeOption permissions = new PermissionModeOption();

    @Mixin ReachOptions reach = new ReachOptions();

    @Mixin LimitOptions limits = new LimitOptions();

    @Option(names = "--detach", description = "Do not follow the run.")
    boolean detach;

    PairStartCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        if (single && reviewOnly) {
            throw new Failure(ExitCode.USAGE, "--single and --review-only exclude each other.");
        }
        var text = task.read(host, reviewOnly);
        var client = reach();
        var pair = client.pairs().create(request(text));
        if (json) {
            say(pair);
        }
        note(
                "Run %d on %s: %s. Its id is %s."
                        .formatted(
                                pair.run(),
                                Printable.line(pair.repository()),
                                PairText.peers(pair),
                                pair.id()));
        if (detach) {
            note("To follow it: ash pair watch " + pair.id());
            return ExitCode.OK;
        }
        return new PairWatch(host, client, pair, json).run(0, this::finish);
    }

    /** On this machine, what is no repository is told before a server is started for it. */
    private AshClient reach() {
        if (!Connection.isLoopback(connection().url())) {
            return client();
        }
        var repository = PairRepository.of(host, repo).required();
        var client = NeededServer.reach(host, connection(), this::note);
        repository.open(host, this::note);
        if (detach) { // else the events of the run say so
            repository.uncommitted(host).ifPresent(this::note);
        }
        return client;
    }

    private PairApi.CreatePair request(String text) {
        return PairApi.CreatePair.builder(host.resolve(repo).toString(), text)
                .mode(single ? "single" : reviewOnly ? "review-only" : null)
                .plan(plan ? true : null)
                .worker(worker)
                .reviewer(reviewer)
                .workerModel(workerModel)
                .reviewerModel(reviewerModel)
                .proof(proof)
                .doneSignal(done)
                .base(base)
                .maxRounds(budget.maxRounds)
                .timeout(PairBudgetOptions.millis(budget.timeout))
                .turnTimeout(PairBudgetOptions.millis(turnTimeout))
                .maxTokens(budget.maxTokens)
                .maxCostUsd(budget.maxCost)
                .stalemateRounds(stalemateRounds)
                .asksPerson(ask == null ? host.terminals().in() && !json && !detach : ask)
                .permissionMode(permissions.mode())
                .credentialId(reach.credential())
                .limits(limits.limits())
                .network(reach.network())
                .build();
    }

    private void finish(Pair pair) {
        if (json) {
            say(pair);
        } else {
            host.out().println("\n" + PairText.summary(host, pair));
        }
    }

    private void say(Pair pair) {
        host.out().println(Json.write(new PairApi.PairResponse(pair)));
        host.out().flush();
    }
}
