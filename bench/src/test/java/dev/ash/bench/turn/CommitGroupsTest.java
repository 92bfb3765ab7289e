package dev.ash.bench.turn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommitGroupsTest {
    private static final String BEFORE =
            """
            ash_commit_units_bucket{le="1.0"} 5
            ash_commit_units_bucket{le="2.0"} 5
            ash_commit_units_bucket{le="4.0"} 5
            ash_commit_units_bucket{le="+Inf"} 5
            """;
    private static final String AFTER =
            """
            ash_commit_units_bucket{le="1.0"} 6
            ash_commit_units_bucket{le="2.0"} 6
            ash_commit_units_bucket{le="4.0"} 8
            ash_commit_units_bucket{le="+Inf"} 8
            """;

    @Test
    void usesCommitsSinceEarlierState() {
        var groups = CommitGroups.parse(AFTER).since(CommitGroups.parse(BEFORE), 9);

        assertThat(groups).containsExactlyInAnyOrder(1, 4, 4);
    }

    @Test
    void scalesToNumberOfRows() {
        var groups = CommitGroups.parse(AFTER).since(CommitGroups.parse(BEFORE), 900);

        assertThat(groups.stream().mapToInt(Integer::intValue).sum()).isEqualTo(900);
        assertThat(groups).hasSizeBetween(280, 320);
    }
}
