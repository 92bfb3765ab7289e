package dev.ash.server.pair;

import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.approval.Approvals;

/** What runs ask people with. */
record PairQuestions(Approvals approvals, ApprovalAnswers answers, WaitingRuns waiting) {}
