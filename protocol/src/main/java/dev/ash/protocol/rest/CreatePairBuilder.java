package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** Builds the request that starts a pair; the server has defaults for unset values. */
public final class CreatePairBuilder {
    private final String repository;
    private final String task;
    private @Nullable String mode;
    private @Nullable Boolean plan;
    private @Nullable String worker;
    private @Nullable String reviewer;
    private @Nullable String workerModel;
    private @Nullable String reviewerModel;
    private @Nullable String proof;
    private @Nullable String doneSignal;
    private @Nullable String base;
    private @Nullable Integer maxRounds;
    private @Nullable Long timeout;
    private @Nullable Long turnTimeout;
    private @Nullable Long maxTokens;
    private @Nullable Double maxCostUsd;
    private @Nullable Integer stalemateRounds;
    private @Nullable Boolean asksPerson;
    private @Nullable String permissionMode;
    private @Nullable String credentialId;
    private @Nullable ResourceLimits limits;
    private @Nullable RawJson network;

    CreatePairBuilder(String repository, String task) {
        this.repository = repository;
        this.task = task;
    }

    public CreatePairBuilder mode(@Nullable String value) {
        this.mode = value;
        return this;
    }

    public CreatePairBuilder plan(@Nullable Boolean value) {
        this.plan = value;
        return this;
    }

    public CreatePairBuilder worker(@Nullable String value) {
        this.worker = value;
        return this;
    }

    public CreatePairBuilder reviewer(@Nullable String value) {
        this.reviewer = value;
        return this;
    }

    public CreatePairBuilder workerModel(@Nullable String value) {
        this.workerModel = value;
        return this;
    }

    public CreatePairBuilder reviewerModel(@Nullable String value) {
        this.reviewerModel = value;
        return this;
    }

    public CreatePairBuilder proof(@Nullable String value) {
        this.proof = value;
        return this;
    }

    public CreatePairBuilder doneSignal(@Nullable String value) {
        this.doneSignal = value;
        return this;
    }

    public CreatePairBuilder base(@Nullable String value) {
        this.base = value;
        return this;
    }

    public CreatePairBuilder maxRounds(@Nullable Integer value) {
        this.maxRounds = value;
        return this;
    }

    public CreatePairBuilder timeout(@Nullable Long value) {
        this.timeout = value;
        return this;
    }

    public CreatePairBuilder turnTimeout(@Nullable Long value) {
        this.turnTimeout = value;
        return this;
    }

    public CreatePairBuilder maxTokens(@Nullable Long value) {
        this.maxTokens = value;
        return this;
    }

    public CreatePairBuilder maxCostUsd(@Nullable Double value) {
        this.maxCostUsd = value;
        return this;
    }

    public CreatePairBuilder stalemateRounds(@Nullable Integer value) {
        this.stalemateRounds = value;
        return this;
    }

    public CreatePairBuilder asksPerson(@Nullable Boolean value) {
        this.asksPerson = value;
        return this;
    }

    public CreatePairBuilder permissionMode(@Nullable String value) {
        this.permissionMode = value;
        return this;
    }

    public CreatePairBuilder credentialId(@Nullable String value) {
        this.credentialId = value;
        return this;
    }

    public CreatePairBuilder limits(@Nullable ResourceLimits value) {
        this.limits = value;
        return this;
    }

    public CreatePairBuilder network(@Nullable RawJson value) {
        this.network = value;
        return this;
    }

    public PairApi.CreatePair build() {
        return new PairApi.CreatePair(
                repository,
                task,
                mode,
                plan,
                worker,
                reviewer,
                workerModel,
                reviewerModel,
                proof,
                doneSignal,
                base,
                maxRounds,
                timeout,
                turnTimeout,
                maxTokens,
                maxCostUsd,
                stalemateRounds,
                asksPerson,
                permissionMode,
                credentialId,
                limits,
                network);
    }
}
