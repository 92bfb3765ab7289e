package dev.ash.server.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.ash.sandbox.launch.HostUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GitUsersTest {
    @TempDir Path home;

    private Optional<GitUser> user() {
        var users = new GitUsers(new HomeDirectories(List.of(home), home.resolve("no-accounts")));
        return users.of(new Project(home.resolve("project"), Optional.empty(), "key"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    [user]~name = Mona Lisa~email = mona@example.org | Mona Lisa | mona@example.org
                    [user] name = Mona~ Email = m@e ; at home | Mona | m@e
                    [USER]~name = "Mona; the #1"~email = "m@e" # quoted | Mona; the #1 | m@e
                    [user]~name = Mo\\"na~name = Last |Last|
                    [user "work"]~name = Other~[core]~email = x~[user]~name = Right |Right|
                    [include]~path = other~[alias]~name = !rm ||
                    nonsense~[user~name = ||
                    [user]~name =~email ||
                    """)
    void readsOnlyNameAndEmail(String text, String name, String email) throws Exception {
        Files.writeString(home.resolve(".gitconfig"), text.replace('~', '\n'));

        var found = user().orElse(GitUser.NONE);

        assertThat(found).isEqualTo(new GitUser(name, email));
    }

    @Test
    void prefersGitconfigInHomeDirectory() throws Exception {
        var other = Files.createDirectories(home.resolve(".config/git")).resolve("config");
        Files.writeString(other, "[user]\nname = Old\nemail = old@example.org\n");
        Files.writeString(home.resolve(".gitconfig"), "[user]\nname = New\n");

        assertThat(user()).contains(new GitUser("New", "old@example.org"));
    }

    @Test
    void ignoresDirectoryInPlaceOfFile() throws Exception {
        Files.createDirectory(home.resolve(".gitconfig"));

        assertThat(user()).isEmpty();
    }

    @Test
    void readsFileWithPermissionsOfOwner() throws Exception {
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        for (var at = home; at.getNameCount() > 1; at = at.getParent()) {
            Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        var accounts = home.resolve("passwd");
        Files.writeString(accounts, "o:x:4711:4712::%s:/bin/sh\n".formatted(home));
        var file = home.resolve(".gitconfig");
        Files.writeString(file, "[user]\nname = Owner\n");
        var users = new GitUsers(new HomeDirectories(List.of(), accounts));
        var project = new Project(home, Optional.of(new HostUser(4711, 4712)), "key");

        assertThat(users.of(project)).contains(new GitUser("Owner", null));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(users.of(project)).as("a file that only root can read").isEmpty();
    }

    @Test
    void returnsNothingForOwnerWithoutAccount() {
        var users = new GitUsers(new HomeDirectories(List.of(home), home.resolve("no-accounts")));
        var owner = Optional.of(new HostUser(4242, 4242));

        assertThat(users.of(new Project(home, owner, "key"))).isEmpty();
    }
}
