package dev.ash.cli.pair;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.server.ServerAutoStart;
import dev.ash.cli.session.EgressOptions;
import dev.ash.cli.session.LimitOptions;
import dev.ash.cli.session.PermissionModeOption;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.PairApi;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.Json;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Implements {@code ash pair}. */
@Command(
        name = "pair",
        description =
                "Let one engine work on a repository and another review it, until it is approved.",
        customSynopsis = {"ash pair [OPTIONS] TASK", "       ash pair COMMAND RUN …"},
        footer = {
            "",
            "Commands for runs: list, show, watch, say, answer, pause, stop, resume, log,",
            "diff, report, clean; each has --help. For a task of that name: ash pair -- list",
            "",
            "The work is done in private clones of the last commit and delivered as the",
            "branch agentpair/run-N. Your working tree does not change. Ctrl-C does not stop",
            "the run; `ash pair watch` follows it again, `ash pair stop` stops it.",
            "",
            "Exit codes of a run: 0 completed, 10 rejected, 11 stalemate, 12 max_rounds,",
            "13 budget_exhausted, 14 timeout, 15 cancelled, 16 agent_failed.",
            "With --json, the first and last lines are the run; each line between is an event."
        })
final class PairStartCommand extends AshCommand {
    @Mixin PairTask task = new PairTask();

    @Option(
            names = "--repo",
            paramLabel = "DIRECTORY",
            description = "A directory in the repository. Default: the current one.")
    String repo = "";

    @Option(
            names = "--worker",
            paramLabel = "AGENT",
            description =
                    "Engine or deployed agent of the worker. Default: "
                            + PairApi.DEFAULT_WORKER
                            + ", if installed.")
    @Nullable String worker;

    @Option(
            names = "--reviewer",
            paramLabel = "AGENT",
            description =
                    "Engine or deployed agent of the reviewer; may equal the worker. Default: "
                            + PairApi.DEFAULT_REVIEWER
                            + ", if installed.")
    @Nullable String reviewer;

    @Option(names = "--worker-model", paramLabel = "MODEL", description = "The worker's model.")
    @Nullable String workerModel;

    @Option(names = "--reviewer-model", paramLabel = "MODEL", description = "The reviewer's model.")
    @Nullable String reviewerModel;

    @Option(
            names = "--proof",
            paramLabel = "COMMAND",
            description = "Command that must succeed before a review, such as \"mvn test\".")
    @Nullable String proof;

    @Option(names = "--plan", description = "Write a plan first and have it reviewed.")
    boolean plan;

    @Option(
            names = "--single",
            description = "Run without a reviewer; the worker checks its own work.")
    boolean single;

    @Option(
            names = "--review-only",
            description = "Run without a worker; review the changes since --base.")
    boolean reviewOnly;

    @Option(
            names = "--base",
            paramLabel = "COMMIT",
            description = "Base commit. Default: HEAD; HEAD^ with --review-only.")
    @Nullable String base;

    @Option(
            names = "--turn-timeout",
            paramLabel = "TIME",
            converter = TimeSpan.Converter.class,
            description = "Maximum duration of a turn and of a proof, such as 45m.")
    @Nullable TimeSpan turnTimeout;

    @Mixin PairBudgetOptions budget = new PairBudgetOptions();

    @Option(
            names = "--stalemate-rounds",
            paramLabel = "N",
            description = "Number of rounds without progress after which the run ends.")
    @Nullable Integer stalemateRounds;

    @Option(
            names = "--done",
            paramLabel = "LINE",
            description = "Line with which the worker reports completion. Default: DONE.")
    @Nullable String done;

    @Option(
            names = "--ask",
            negatable = true,
            description = "Ask you to decide disagreements. Default: only on a terminal.")
    @Nullable Boolean ask;

    @Mixin PermissionModeOption permissions = new PermissionModeOption();

    @Mixin EgressOptions egress = new EgressOptions();

    @Mixin LimitOptions limits = new LimitOptions();

    @Option(names = "--detach", description = "Return without following the run.")
    boolean detach;

    PairStartCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        if (single && reviewOnly) {
            throw new CommandException(
                    ExitCode.USAGE, "--single and --review-only are mutually exclusive.");
        }
        var text = task.read(host, reviewOnly);
        var client = connect();
        var pair = client.pairs().create(request(text));
        if (json) {
            printJson(pair);
        }
        note(
                "Run %d on %s: %s. Its id is %s."
                        .formatted(
                                pair.run(),
                                Printable.line(pair.repository()),
                                PairText.peers(pair),
                                pair.id()));
        if (detach) {
            note("Follow it with: ash pair watch " + pair.id());
            return ExitCode.OK;
        }
        return new PairWatch(host, client, pair, json).run(0, this::finish);
    }

    /** Connects to the server. For a local one, checks the repository before starting it. */
    private AshClient connect() {
        if (!Connection.isLoopback(connection().url())) {
            return client();
        }
        var repository = PairRepository.of(host, repo).requireGit();
        var client = ServerAutoStart.connect(host, connection(), this::note);
        repository.allow(host, this::note);
        if (detach) { // otherwise the events of the run contain the warning
            repository.uncommittedWarning(host).ifPresent(this::note);
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
                .credentialId(egress.credential())
                .limits(limits.limits())
                .network(egress.network())
                .build();
    }

    private void finish(Pair pair) {
        if (json) {
            printJson(pair);
        } else {
            host.out().println("\n" + PairText.summary(host, pair));
        }
    }

    private void printJson(Pair pair) {
        host.out().println(Json.write(new PairApi.PairResponse(pair)));
        host.out().flush();
    }
}
