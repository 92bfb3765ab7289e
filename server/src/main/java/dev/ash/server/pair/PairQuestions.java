package dev.ash.server.pair;

import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.approval.Approvals;

/** The services with which runs ask the user. */
record PairQuestions(Approvals approvals, ApprovalAnswers answers, WaitingRuns waiting) {}
