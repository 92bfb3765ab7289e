package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitNamesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {".git", ".GIT", ".gIt", "git~1", "GIT~1", ".git.", ".git  ", ".g\u200cit"})
    void recognizesVariantsOfDotGit(String name) {
        assertThat(GitNames.isGitDirectory(name)).isTrue();
        assertThat(GitNames.isInGitDirectory("a/" + name + "/config")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "git", ".gitignore", ".github", ".gitmodules", "a.git", ".gi", "..git"})
    void acceptsOtherNames(String name) {
        assertThat(GitNames.isGitDirectory(name)).isFalse();
        assertThat(GitNames.isInGitDirectory(name + "/config")).isFalse();
    }
}
